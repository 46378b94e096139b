import type { Verdict } from '../../model/verdict.ts';
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

/** From so many stored runs on they show how much runs differ, and the base is known better than head. */
const enoughRuns = 3;

/** Blocks a cell with which none would have been inconclusive; undefined if what runs differ by hides the limit anyway. */
function roundsNeeded(verdict: Verdict): number | undefined {
  const needed = cellsIn(verdict, 'inconclusive').flatMap(({ metrics }) =>
    metrics
      .filter(({ outcome }) => outcome === 'inconclusive')
      .map(({ roundsNeeded: rounds }) => rounds ?? Number.POSITIVE_INFINITY),
  );
  const most = Math.max(2, ...needed);
  return most > mostRounds ? undefined : most;
}

/** What makes a check see more: more stored runs, then more blocks, then less noise. */
function seeMore(verdict: Verdict, options: NextStepOptions, again: Step): Step {
  const { comparison } = verdict;
  const configPath = { literal: options.configPath };
  if (comparison.kind === 'stored' && comparison.base.length < enoughRuns) return moreRuns(options.recording);
  const rounds = roundsNeeded(verdict);
  if (rounds === undefined) {
    return [
      'calm the machine or raise the tolerances in ',
      configPath,
      ', then ',
      ...again,
      ': more rounds would not do, as runs differ by too much',
    ];
  }
  const key = { literal: `suites.${verdict.suite}.rounds` };
  // Runs of other rounds are not comparable.
  const anew = comparison.kind === 'stored' ? ', record the baseline anew' : '';
  return ['set ', key, ` to ${rounds} in `, configPath, `${anew}, then `, ...again];
}

function moreRuns(recording: Recording): Step {
  const why = `: from ${enoughRuns} stored runs on a check sees more`;
  return recording.kind === 'command'
    ? ['add to the baseline with ', { literal: recording.command }, why]
    : ['let pushes to ', { literal: recording.branch }, ` add to the baseline${why}`];
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
      // All that could be compared was; what base does not have yet, the next stored run has.
      if (cellsIn(verdict, 'inconclusive').length === 0) return [firstRecord(recording)];
      return [seeMore(verdict, options, again)];
    }
    case 'pass':
      if (verdict.comparison.kind !== 'none' || verdict.comparison.reason === 'not-asked') return [];
      if (storedIn !== undefined) {
        return command === undefined
          ? [['the next pull request is compared with this run']]
          : [['make a change, then ', ...again, ' compares with this run']];
      }
      return [firstRecord(recording)];
  }
}
