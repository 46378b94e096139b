import type { Comparison, Verdict } from '../../model/verdict.ts';
import type { Phrase } from '../format/phrase.ts';
import { cellsIn } from './cell-state.ts';
import { lostCosts } from './costs.ts';
import { missedObjectives } from './findings.ts';
import { groupsIn } from './groups.ts';

/** How a run becomes the baseline: with a command such as `./gate baseline`, or with a push to a branch. */
export type Recording =
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'push'; readonly branch: string };

export interface NextStepOptions {
  /** The command that starts this check, such as `./gate check`; absent where only a push starts it. */
  readonly command?: string;
  readonly recording: Recording;
  /** The path by which people know the configuration file, such as `perf/gate.yml`. */
  readonly configPath: string;
  /** Where this run was stored as a baseline; absent if it was not. */
  readonly storedIn?: string;
}

const longestCommand = 200;

/** More blocks than this take longer than anybody waits. */
const mostRounds = 30;

/** With this many stored runs their differences become measurable, and the base is known better than head. */
const enoughRuns = 3;

function typed(literal: string) {
  return { literal, longest: longestCommand };
}

/** Blocks per cell after which no cell would have been coarse; undefined if no affordable number is enough. */
function roundsNeeded(verdict: Verdict): number | undefined {
  const needed = cellsIn(verdict, 'coarse').flatMap(({ metrics }) =>
    metrics
      .filter(({ outcome }) => outcome === 'coarse')
      .map(({ roundsNeeded: rounds }) => rounds ?? Number.POSITIVE_INFINITY),
  );
  const most = Math.max(2, ...needed);
  return most > mostRounds ? undefined : most;
}

/** How to detect smaller changes: more stored runs first, then more rounds, then less noise. */
function detectMore(verdict: Verdict, { recording, configPath }: NextStepOptions, again: Phrase): Phrase {
  const { comparison } = verdict;
  const isShort = comparison.kind === 'stored' && comparison.base.length < enoughRuns;
  if (isShort || isReplaced(comparison)) {
    const why = `: with ${enoughRuns} or more stored runs, smaller changes are detected`;
    return recording.kind === 'command'
      ? ['run ', typed(recording.command), ` on the base branch${why}`]
      : ['let pushes to ', typed(recording.branch), ` add to the baseline${why}`];
  }
  const rounds = roundsNeeded(verdict);
  if (rounds === undefined) {
    return [
      'use a quieter machine or raise the tolerances in ',
      typed(configPath),
      ', then ',
      ...again,
      '. No affordable number of rounds would help',
    ];
  }
  // Stored runs with another number of rounds are not comparable.
  const then: Phrase =
    comparison.kind === 'stored' ? [' and ', ...newBaseline(recording), '. Then '] : [', then '];
  return [
    'set ',
    typed(`suites.${verdict.suite}.rounds`),
    ` to ${rounds} in `,
    typed(configPath),
    ...then,
    ...again,
  ];
}

function newBaseline(recording: Recording): Phrase {
  return recording.kind === 'command'
    ? [`store ${enoughRuns} new runs of the base branch with `, typed(recording.command)]
    : [`let ${enoughRuns} pushes to `, typed(recording.branch), ' store new runs'];
}

function firstRecord(recording: Recording): Phrase {
  return recording.kind === 'command'
    ? ['run ', typed(recording.command), ' on the base branch to store a run to compare with']
    : ['the next push to ', typed(recording.branch), ' stores a run to compare with'];
}

/** How to get an answer where the check found none. */
function decide(verdict: Verdict, options: NextStepOptions, again: Phrase): Phrase {
  const { command, recording } = options;
  if (verdict.comparison.kind === 'none') {
    return command === undefined
      ? firstRecord(recording)
      : [
          'run ',
          typed(`${command} --compare side-by-side`),
          ' to compare with the base commit on this machine',
        ];
  }
  if (verdict.cells.some((cell) => lostCosts(cell).length > 0)) {
    return [
      'make head report the cost again, or change its ',
      typed('gate'),
      ' in ',
      typed(options.configPath),
      ', then ',
      ...again,
    ];
  }
  if (cellsIn(verdict, 'undecided').length > 0 || groupsIn(verdict, 'undecided').length > 0) {
    return command === undefined ? ['run the job again'] : ['run ', typed(command), ' again'];
  }
  if (cellsIn(verdict, 'coarse').length > 0) return detectMore(verdict, options, again);
  // Everything comparable was compared. What base cannot answer yet, a stored run will have.
  return ['judge the new endpoints yourself; once they are merged, ', ...firstRecord(recording)];
}

/** Whether the base commit was compared with because no stored run could be. */
function isReplaced(comparison: Comparison): boolean {
  return comparison.kind === 'side-by-side' && comparison.mismatches !== undefined;
}

/** What to do now, as sentences with the commands to type; empty if nothing needs doing. */
export function nextSteps(verdict: Verdict, options: NextStepOptions): readonly Phrase[] {
  const { command, recording, storedIn } = options;
  const again: Phrase = command === undefined ? [typed('git push')] : ['run ', typed(command)];
  switch (verdict.outcome) {
    case 'regression': {
      const accept: Phrase =
        recording.kind === 'command'
          ? [typed(recording.command), ' adds it to the stored runs']
          : ['comment ', typed('/perf-gate accept REASON')];
      if (missedObjectives(verdict.cells).some(({ fails }) => fails)) {
        return [
          [
            'fix it and ',
            ...again,
            '. Nobody can accept a missed objective or threshold: change it in gate.yml or the script if it is wrong',
          ],
        ];
      }
      if (verdict.cells.some(({ unanswered }) => unanswered !== undefined)) {
        return [['fix it and ', ...again, '. Nobody can accept a service that no longer works']];
      }
      return [['fix it and ', ...again, '. If the change is intended, ', ...accept]];
    }
    case 'invalid':
      // The cause is often the machine, so a run of the same commit may be enough.
      return [
        [
          'fix the cause above, then ',
          ...again,
          ...(command === undefined ? [', or run the job again'] : []),
        ],
      ];
    case 'noise':
      return [
        command === undefined
          ? ['run the job again. If it is disturbed again, use a runner that does nothing else']
          : [
              'run ',
              typed(command),
              ' again. If it is disturbed again, use a machine that does nothing else',
            ],
      ];
    case 'undecided':
      return [decide(verdict, options, again)];
    case 'accepted':
      return [['merge it before the acceptance ends']];
    case 'coarse':
      return [detectMore(verdict, options, again)];
    case 'pass':
      if (isReplaced(verdict.comparison)) return [firstRecord(recording)];
      if (verdict.comparison.kind !== 'none' || verdict.comparison.reason === 'not-asked') return [];
      if (storedIn === undefined) return [firstRecord(recording)];
      return command === undefined
        ? [['the next pull request is compared with this run']]
        : [['make a change, then ', ...again, ' to compare it with this run']];
  }
}
