import { edit, found } from '../finding.ts';
import { manifestText, type Repository } from '../repository.ts';
import { plainCommand, shellCommand } from './command-line.ts';
import type { StartingPoint } from './start.ts';

/** The process `web` of a Procfile, in whatever language. */
export function procfileService(repository: Repository): StartingPoint | undefined {
  const line = /^web:[ \t]*(\S.*)$/m.exec(manifestText(repository, 'Procfile') ?? '')?.[1];
  if (line === undefined) return undefined;
  return {
    command: plainCommand(line) ?? shellCommand(line),
    build: [],
    sources: ['.rb', '.py', '.js', '.ts', '.go', '.php', '.ex'],
    habit: { port: 5000, why: 'what runners of Procfiles take' },
    findings: [
      found('web of the Procfile starts it'),
      edit('add what builds it as `stack.process.build` to perf/gate.yml, if it has to be built'),
    ],
  };
}
