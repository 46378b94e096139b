import { edit, found } from '../finding.ts';
import { manifestText, type Repository } from '../repository.ts';
import { plainCommand, shellCommand } from './command-line.ts';
import type { StartingPoint } from './start.ts';

/** The process `web` of a Procfile, in any language. */
export function procfileService(repository: Repository): StartingPoint | undefined {
  const line = /^web:[ \t]*(\S.*)$/m.exec(manifestText(repository, 'Procfile') ?? '')?.[1];
  if (line === undefined) return undefined;
  return {
    command: plainCommand(line) ?? shellCommand(line),
    build: [],
    sources: ['.rb', '.py', '.js', '.ts', '.go', '.php', '.ex'],
    defaultPort: { port: 5000, why: 'runners of Procfiles use it' },
    findings: [
      found('the process `web` of the Procfile starts it'),
      edit('if the service needs a build, add the command to perf/gate.yml as `stack.process.build`'),
    ],
  };
}
