import type { Run } from '../../model/run.ts';
import { contradiction, judgedRun, type Signals, type Steps, stepsBetween } from './machine-steps.ts';

/**
 * Two runs show one speed if the generator's CPU time per request differs by less than this factor. Recorded checks hardly
 * depend on it: with 1.15 to 1.5, a change of one cell by 10% was red in 52 to 54 of 81, and in 44 without.
 */
const oneSpeed = 1.25;

/** Fewer runs do not show how much runs differ. */
const fewestRuns = 3;

/**
 * Of the runs, oldest first, those during which the machine was about as fast as during head's, those that show no speed, and the
 * newest one; all runs if fewer than three were as fast. The further two speeds are apart, the more of the difference is left
 * after dividing it out. The newest run stays at any speed, because it shows what has been merged.
 */
export function atSpeedOf(head: Run, runs: readonly Run[], signals: Signals): readonly Run[] {
  if (runs.length <= fewestRuns) return runs;
  const judged = judgedRun(head);
  const steps = new Map(runs.map((run) => [run, stepOf(stepsBetween(judged, judgedRun(run), signals))]));
  const isAlike = (run: Run) => Math.abs(steps.get(run) ?? Number.POSITIVE_INFINITY) < Math.log(oneSpeed);
  if (runs.filter(isAlike).length < fewestRuns) return runs;
  return runs.filter((run) => isAlike(run) || steps.get(run) === undefined || run === runs.at(-1));
}

/**
 * How much slower the machine was, as a log. Only a generator with equal work shows it, and not where the backing services
 * contradict it: a head that gives it other work must not choose its base by that.
 */
function stepOf({ common: { generator, backing } }: Steps): number | undefined {
  if (generator === undefined) return undefined;
  const apart = backing === undefined ? 0 : backing.cpu - generator.cpu;
  return Math.abs(apart) > contradiction ? undefined : generator.cpu;
}
