import type { Run } from '../../model/run.ts';
import { judgedRun, type Signals, stepsBetween } from './machine-steps.ts';

/**
 * Two runs show one speed if the generator's CPU time per request differs by less than this factor. Recorded checks hardly
 * depend on it: with 1.15 to 1.5, a change of one cell by 10% was red in 53 to 55 of 81, and in 44 without.
 */
const oneSpeed = 1.25;

/** Fewer runs do not show how much runs differ. */
const fewestRuns = 3;

/**
 * The runs without those that show another speed of the machine than head; all runs if too few are left. The further two
 * speeds are apart, the more of the difference is left after dividing it out. Only a generator with equal work shows a speed, so
 * no run is left out for a head that gives it other work.
 */
export function atSpeedOf(head: Run, runs: readonly Run[], signals: Signals): readonly Run[] {
  if (runs.length <= fewestRuns) return runs;
  const judged = judgedRun(head);
  const alike = runs.filter((run) => {
    const step = stepsBetween(judged, judgedRun(run), signals).common.generator?.cpu;
    return Math.abs(step ?? 0) < Math.log(oneSpeed);
  });
  return alike.length < fewestRuns ? runs : alike;
}
