import type { Detection } from '../../model/detection.ts';
import type { Answer } from './answers.ts';
import type { PlannedAnswers } from './run-job.ts';

/** The scores and answers of one rule, by the half of a split in which they were found. */
interface Checks {
  readonly calibrating: readonly Answer[];
  readonly testing: readonly Answer[];
}

/**
 * Peers with another limit than their own: one that raises as many false alarms as our rule in the half that calibrates, and
 * one that finds as many changes of the reference. What they then do is counted in the other half, over all splits.
 */
export function equalised(
  unchanged: readonly PlannedAnswers[],
  changed: readonly PlannedAnswers[],
  own: string,
): Detection['equal'] {
  const rules = [
    ...new Set(
      (unchanged[0]?.answers ?? []).filter(({ score }) => score !== undefined).map(({ rule }) => rule),
    ),
  ];
  const halves = [...new Set(unchanged.map(({ plan }) => `${plan.split} ${plan.half}`))].map((key) => {
    const [split, half] = key.split(' ').map(Number);
    return { split, half };
  });
  return rules.map((rule) => {
    const found = halves.map(({ split, half }) => {
      const checks = (all: readonly PlannedAnswers[], of: string): Checks => {
        const inSplit = all.filter(({ plan }) => plan.split === split);
        const answers = (isHalf: boolean) =>
          inSplit
            .filter(({ plan }) => (plan.half === half) === isHalf)
            .flatMap((one) => one.answers.filter((answer) => answer.rule === of));
        return { calibrating: answers(true), testing: answers(false) };
      };
      const [quiet, loud] = [checks(unchanged, rule), checks(changed, rule)];
      const [ownQuiet, ownLoud] = [checks(unchanged, own), checks(changed, own)];
      return {
        atFalseAlarms: tested(limitFor(quiet.calibrating, redShare(ownQuiet.calibrating)), quiet, loud),
        atPower: tested(limitFor(loud.calibrating, redShare(ownLoud.calibrating)), quiet, loud),
      };
    });
    const mean = (read: (one: (typeof found)[number]) => number) =>
      found.reduce((sum, one) => sum + read(one), 0) / Math.max(1, found.length);
    const both = (name: 'atFalseAlarms' | 'atPower') => ({
      falseAlarms: mean((one) => one[name].falseAlarms),
      power: mean((one) => one[name].power),
    });
    return { rule, atFalseAlarms: both('atFalseAlarms'), atPower: both('atPower') };
  });
}

function redShare(answers: readonly Answer[]): number {
  return answers.filter(({ isRed }) => isRed).length / Math.max(1, answers.length);
}

/** The score above which this share of the answers lies. */
function limitFor(answers: readonly Answer[], share: number): number {
  const scores = answers.map(({ score = 0 }) => score).toSorted((a, b) => b - a);
  const above = Math.round(share * scores.length);
  if (above >= scores.length) return Number.NEGATIVE_INFINITY;
  return scores[above] ?? 0;
}

function tested(limit: number, quiet: Checks, loud: Checks): { falseAlarms: number; power: number } {
  const above = (answers: readonly Answer[]) =>
    answers.filter(({ score = 0 }) => score > limit).length / Math.max(1, answers.length);
  return { falseAlarms: above(quiet.testing), power: above(loud.testing) };
}
