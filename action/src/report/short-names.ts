import type { Verdict } from '../model/verdict.ts';
import { longestName } from './phrase.ts';
import { plainValue } from './plain-text.ts';
import { shorten } from './text-layout.ts';

/** The verdict in plain text, with names so short that a sentence that holds several of them stays readable. */
export function withShortNames(untrusted: Verdict): Verdict {
  const short = (name: string) => shorten(name, longestName);
  const { cells, code, ...rest } = plainValue(untrusted);
  return {
    ...rest,
    runId: short(rest.runId),
    suite: short(rest.suite),
    code: { ...code, branch: short(code.branch) },
    cells: cells.map((cell) => ({
      ...cell,
      scenario: short(cell.scenario),
      load: short(cell.load),
      endpoints: cell.endpoints.map((endpoint) => ({ ...endpoint, name: short(endpoint.name) })),
      signals: cell.signals.map((signal) => ({
        ...signal,
        title: short(signal.title),
        unit: short(signal.unit),
      })),
      objectives: cell.objectives.map((result) => ({ ...result, objective: short(result.objective) })),
    })),
  };
}
