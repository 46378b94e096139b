import type { Random } from '../../src/stats/random.ts';
import { type AutoCheck, autoCheck } from './auto-check.ts';
import {
  asExpected,
  drawHour,
  type Slowdown,
  simulatedOptions,
  simulatedRun,
  type Truth,
} from './simulated-run.ts';

/** Checks of simulated runs, whose truth is known. */
export interface Scene {
  readonly storedRuns: number;
  readonly truth?: Truth;
  /** Of head alone. */
  readonly headTruth?: Truth;
  /** What the change does to the time of a request. */
  readonly slowdown?: Slowdown;
  /** How many times slower the machine is when head is measured; drawn by default. */
  readonly slowerHour?: number;
  /** What made a stored run slower, as if its commit had been. */
  readonly poisoned?: { readonly run: number; readonly slowdown: number };
}

/** Rounds with which suspects are measured again. */
const roundsAgain = 6;

export function simulateCheck(random: Random, scene: Scene): AutoCheck {
  const {
    storedRuns,
    truth = asExpected,
    headTruth = truth,
    slowdown = () => 1,
    poisoned,
    slowerHour,
  } = scene;
  const stored = Array.from({ length: storedRuns }, (_, index) => {
    const slower = index === poisoned?.run ? poisoned.slowdown : 1;
    return simulatedRun(`stored-${index}`, random, truth, { slowdown: () => slower });
  });
  const hour = slowerHour === undefined ? drawHour(random, truth) : Math.log(slowerHour);
  const run = simulatedRun('head', random, headTruth, { slowdown, hour });
  return autoCheck({ run, stored }, simulatedOptions, () => {
    // Both sides share the hour, which is often like the one before.
    const rounds = { blocks: roundsAgain };
    return {
      base: simulatedRun('base-again', random, { ...truth, ...rounds }, { hour }),
      head: simulatedRun('head-again', random, { ...headTruth, ...rounds }, { slowdown, hour }),
    };
  });
}
