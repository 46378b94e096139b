import type { Verdict } from '../model/verdict.ts';
import { cellsIn } from './cell-state.ts';

export interface NextStepOptions {
  /** How this check is started, such as `./gate check`. */
  readonly command: string;
  /** How a run is stored as the baseline, such as `./gate baseline`. */
  readonly baselineCommand: string;
  /** How people know the configuration file, such as `perf/gate.yml`. */
  readonly configPath: string;
  /** Where this run was stored as a baseline; absent if it was not. */
  readonly storedIn?: string;
}

/** More blocks than this take longer than anybody waits. */
const mostRounds = 30;

/** Blocks a cell that would have shown a change as large as the limit: what is visible shrinks with the root of their number. */
function roundsNeeded(verdict: Verdict): number {
  const needed = cellsIn(verdict, 'inconclusive').map(({ metrics, head }) => {
    const ratios = metrics
      .filter(({ outcome }) => outcome === 'inconclusive')
      .map(({ smallestVisible, limit }) => smallestVisible / Math.abs(limit));
    return Math.ceil(head.blocks * Math.max(1, ...ratios) ** 2);
  });
  return Math.max(2, ...needed);
}

/** What to do now, as sentences that hold a command; empty if there is nothing to do. */
export function nextSteps(verdict: Verdict, options: NextStepOptions): readonly string[] {
  const { command, baselineCommand, configPath, storedIn } = options;
  switch (verdict.outcome) {
    case 'regression':
      return [
        `mend it and run ${command}; if the change is meant, ${baselineCommand} makes it the new baseline`,
      ];
    case 'invalid':
      return [`mend the cause above, then ${command}`];
    case 'inconclusive': {
      const rounds = roundsNeeded(verdict);
      return rounds > mostRounds
        ? [
            `calm the machine or raise the tolerances in ${configPath}, then ${command}: rounds alone would have to be ${rounds}`,
          ]
        : [`set suites.${verdict.suite}.rounds to ${rounds} in ${configPath}, then ${command}`];
    }
    case 'pass':
      if (verdict.comparison.kind !== 'none') return [];
      if (storedIn !== undefined) return [`make a change, then ${command} compares with this run`];
      return [`${baselineCommand} stores a run to compare with`];
  }
}
