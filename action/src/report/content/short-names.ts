import type { Comparison, Verdict } from '../../model/verdict.ts';
import { longestName } from '../format/phrase.ts';
import { plainValue } from '../format/plain-text.ts';
import { shorten } from '../format/text-layout.ts';

function short(name: string): string {
  return shorten(name, longestName);
}

function withShortEndpoints(comparison: Comparison): Comparison {
  if (comparison.kind !== 'side-by-side' || comparison.beyondBase === undefined) return comparison;
  const beyondBase = comparison.beyondBase.map(({ cell, endpoints }) => ({
    cell: short(cell),
    endpoints: endpoints.map(short),
  }));
  return { ...comparison, beyondBase };
}

/** The verdict in plain text, with names short enough that a sentence with several of them stays readable. */
export function withShortNames(untrusted: Verdict): Verdict {
  const { cells, code, comparison, ...rest } = plainValue(untrusted);
  return {
    ...rest,
    runId: short(rest.runId),
    suite: short(rest.suite),
    comparison: withShortEndpoints(comparison),
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
