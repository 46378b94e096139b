import type { Detection } from '../../model/detection.ts';
import { type Answer, scoresOf } from './answers.ts';
import type { PlannedAnswers } from './run-job.ts';

/** Scores of one peer in the half that calibrates and in the half that tests. */
interface Halves {
  readonly calibrating: readonly number[];
  readonly testing: readonly number[];
}

/** Checks of unchanged code and of the reference change. */
interface Both<One> {
  readonly unchanged: One;
  readonly changed: One;
}

type Equal = Pick<Detection['equal'][number], 'atFalseAlarms' | 'atPower'>;

/**
 * A peer with two other limits than its own: one that raises as many false alarms as our rule, and one that finds as many
 * changes. Both are set by the scores of one half. What the peer then does is counted in the other.
 */
export function equalAnswers(peer: Both<Halves>, own: Both<number>): Equal {
  return {
    atFalseAlarms: tested(limitFor(peer.unchanged.calibrating, own.unchanged), peer),
    atPower: tested(limitFor(peer.changed.calibrating, own.changed), peer),
  };
}

/** The score above which this share of the scores lies. */
function limitFor(scores: readonly number[], share: number): number {
  const above = Math.round(share * scores.length);
  return scores.toSorted((a, b) => b - a)[above] ?? Number.NEGATIVE_INFINITY;
}

function tested(limit: number, { unchanged, changed }: Both<Halves>): Equal['atPower'] {
  const above = ({ testing }: Halves) =>
    testing.filter((score) => score > limit).length / Math.max(1, testing.length);
  return { falseAlarms: above(unchanged), power: above(changed) };
}

/** Peers as good as our rule on one half of the recorded runs, tested on the other half, over all ways of halving. */
export function equalised(
  unchanged: readonly PlannedAnswers[],
  changed: readonly PlannedAnswers[],
  own: string,
): Detection['equal'] {
  const rules = (unchanged[0]?.answers ?? []).flatMap(({ rule, score }) =>
    score === undefined ? [] : [rule],
  );
  const halvings = [...new Map(unchanged.map(({ plan }) => [`${plan.split} ${plan.half}`, plan])).values()];
  return rules.map((rule) => {
    const found = halvings.map(({ split, half }) => {
      const answers = (all: readonly PlannedAnswers[], of: string, isHalf: boolean) =>
        all
          .filter(({ plan }) => plan.split === split && (plan.half === half) === isHalf)
          .flatMap((one) => one.answers.filter((answer) => answer.rule === of));
      const halves = (all: readonly PlannedAnswers[]): Halves => ({
        calibrating: scoresOf(answers(all, rule, true)),
        testing: scoresOf(answers(all, rule, false)),
      });
      const ofOwn = {
        unchanged: redShare(answers(unchanged, own, true)),
        changed: redShare(answers(changed, own, true)),
      };
      return equalAnswers({ unchanged: halves(unchanged), changed: halves(changed) }, ofOwn);
    });
    const mean = (read: (one: Equal) => number) =>
      found.reduce((sum, one) => sum + read(one), 0) / Math.max(1, found.length);
    const both = (name: keyof Equal) => ({
      falseAlarms: mean((one) => one[name].falseAlarms),
      power: mean((one) => one[name].power),
    });
    return { rule, atFalseAlarms: both('atFalseAlarms'), atPower: both('atPower') };
  });
}

/** Scores of simulated checks, which are independent: the first half calibrates. */
export function halved(scores: readonly number[]): Halves {
  const half = Math.floor(scores.length / 2);
  return { calibrating: scores.slice(0, half), testing: scores.slice(half) };
}

function redShare(answers: readonly Answer[]): number {
  return answers.filter(({ isRed }) => isRed).length / Math.max(1, answers.length);
}
