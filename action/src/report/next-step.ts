import type { Verdict } from '../model/verdict.ts';
import { cellsIn } from './cell-state.ts';

/** A sentence whose literal parts are to be typed as they stand: commands, keys, paths. */
export type Step = readonly (string | { readonly literal: string })[];

/** How a run becomes the baseline: by a command, such as `./gate baseline`, or by what is pushed to a branch. */
export type Recording =
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'push'; readonly branch: string };

export interface NextStepOptions {
  /** How this check is started, such as `./gate check`; absent where only a push starts it. */
  readonly command?: string;
  readonly recording: Recording;
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

function acceptance(recording: Recording): Step {
  return recording.kind === 'command'
    ? [{ literal: recording.command }, ' makes it the new baseline']
    : ['it joins the baseline once it is on ', { literal: recording.branch }];
}

function firstRecord(recording: Recording): Step {
  return recording.kind === 'command'
    ? [{ literal: recording.command }, ' stores a run to compare with']
    : ['the next push to ', { literal: recording.branch }, ' stores a run to compare with'];
}

/** Where the stored runs are of no use, because this checkout changed what they were made with. */
function uncompared({ command, recording }: NextStepOptions): Step {
  if (command === undefined) return firstRecord(recording);
  return [{ literal: `${command} --compare side-by-side` }, ' compares with the base commit on this machine'];
}

/** The step as plain text. */
export function stepText(step: Step): string {
  return step.map((part) => (typeof part === 'string' ? part : part.literal)).join('');
}

/** What to do now, as sentences that hold a command; empty if there is nothing to do. */
export function nextSteps(verdict: Verdict, options: NextStepOptions): readonly Step[] {
  const { command, recording, storedIn } = options;
  const again: Step = [{ literal: command ?? 'git push' }];
  const configPath = { literal: options.configPath };
  switch (verdict.outcome) {
    case 'regression':
      return [['mend it and run ', ...again, '; if the change is meant, ', ...acceptance(recording)]];
    case 'invalid':
      // What disturbed the measurement is often no part of the code.
      return command === undefined
        ? [['mend the cause above, then ', ...again, ', or run the job again']]
        : [['mend the cause above, then ', ...again]];
    case 'inconclusive': {
      if (verdict.comparison.kind === 'none') return [uncompared(options)];
      const rounds = roundsNeeded(verdict);
      if (rounds > mostRounds) {
        return [
          [
            'calm the machine or raise the tolerances in ',
            configPath,
            ', then ',
            ...again,
            `: rounds alone would have to be ${rounds}`,
          ],
        ];
      }
      const key = { literal: `suites.${verdict.suite}.rounds` };
      return [['set ', key, ` to ${rounds} in `, configPath, ', then ', ...again]];
    }
    case 'pass':
      if (verdict.comparison.kind !== 'none') return [];
      if (storedIn !== undefined) {
        return command === undefined
          ? [['the next pull request is compared with this run']]
          : [['make a change, then ', ...again, ' compares with this run']];
      }
      return [firstRecord(recording)];
  }
}
