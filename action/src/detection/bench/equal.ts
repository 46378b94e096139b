import type { BothRates, Detection, Rate } from '../../model/detection.ts';
import { type Answer, ownRules, redLimit } from './answers.ts';

/** What a rule made of a check; red above 1. */
export type Scored = Pick<Answer, 'rule' | 'ofPair' | 'score'>;

/** Checks of unchanged code and of the reference change. */
interface Both<One> {
  readonly unchanged: readonly One[];
  readonly changed: readonly One[];
}

/** The checks that set a limit, and those that test it. */
export interface Fold<One> {
  readonly calibrating: Both<One>;
  readonly testing: Both<One>;
}

/** Each half sets the limits that are tested in the other one. */
export function bothFolds<One>(first: Both<One>, second: Both<One>): readonly Fold<One>[] {
  return [
    { calibrating: first, testing: second },
    { calibrating: second, testing: first },
  ];
}

/**
 * Every rule as it is, and every peer with two other limits: one that raises as many false alarms as our rule, and one that
 * finds as many changes. Both are set by the checks that calibrate, and counted in those that test, over all folds. Peers
 * that judge a pair are held against our rule that does, and the others against our rule for stored runs. Empty unless every
 * fold has checks for both.
 */
export function equalised<One extends Scored>(
  folds: readonly Fold<One>[],
  rateOf: (checks: readonly One[]) => Rate,
): Detection['equal'] {
  const parts = folds.flatMap(({ calibrating, testing }) => [calibrating, testing]);
  if (parts.some(({ unchanged, changed }) => unchanged.length === 0 || changed.length === 0)) return [];
  const isOurs = (name: string) => ownRules.some((rule) => rule.name === name);
  const rules = new Map(parts.flatMap(({ unchanged }) => unchanged.map((check) => [check.rule, check])));
  return [...rules.values()].map(({ rule, ofPair }) => {
    const at = (limitIn: (calibrating: Both<One>) => number): BothRates => {
      const tested = folds.map(({ calibrating, testing }) =>
        redAbove(limitIn(calibrating), of(testing, rule)),
      );
      return {
        falseAlarms: rateOf(tested.flatMap(({ unchanged }) => unchanged)),
        power: rateOf(tested.flatMap(({ changed }) => changed)),
      };
    };
    const asItIs = at(() => redLimit);
    const own = [...rules.values()].find((one) => isOurs(one.rule) && one.ofPair === ofPair);
    if (isOurs(rule) || own === undefined) return { rule, asItIs };
    const limit = (figure: keyof Both<One>, end: keyof Limits) => (calibrating: Both<One>) => {
      const ours = of(calibrating, own.rule)[figure];
      // Among more checks the highest score is higher, so the peer's limit comes from as many as ours.
      const theirs = of(calibrating, rule)[figure].slice(0, ours.length);
      return limitFor(theirs, redShare(ours))[end];
    };
    return {
      rule,
      against: own.rule,
      asItIs,
      atFalseAlarms: at(limit('unchanged', 'lowest')),
      atPower: at(limit('changed', 'highest')),
    };
  });
}

function of<One extends Scored>({ unchanged, changed }: Both<One>, rule: string): Both<One> {
  const isOf = (check: One) => check.rule === rule;
  return { unchanged: unchanged.filter(isOf), changed: changed.filter(isOf) };
}

/** The checks with a score that says only whether they are above the limit. */
function redAbove<One extends Scored>(limit: number, { unchanged, changed }: Both<One>): Both<One> {
  const judged = (check: One) => ({ ...check, score: check.score > limit ? Number.POSITIVE_INFINITY : 0 });
  return { unchanged: unchanged.map(judged), changed: changed.map(judged) };
}

function redShare(checks: readonly Scored[]): number {
  return checks.filter(({ score }) => score > redLimit).length / Math.max(1, checks.length);
}

/** A range of limits that all have the same checks above them. */
interface Limits {
  readonly lowest: number;
  readonly highest: number;
}

/**
 * The limits that have the share of the checks above them that is nearest to the given one. None is below 0, at which any
 * head fails that is worse at all.
 */
function limitFor(checks: readonly Scored[], share: number): Limits {
  const worse = checks.map(({ score }) => score).filter((score) => score > 0);
  const scores = [
    ...Map.groupBy(
      worse.toSorted((a, b) => b - a),
      (score) => score,
    ),
  ];
  const wanted = share * checks.length;
  let best: Limits = { lowest: scores[0]?.[0] ?? 0, highest: scores[0]?.[0] ?? 0 };
  let distance = wanted;
  let above = 0;
  for (const [at, [score, { length }]] of scores.entries()) {
    above += length;
    if (Math.abs(above - wanted) >= distance) continue;
    distance = Math.abs(above - wanted);
    best = { lowest: scores[at + 1]?.[0] ?? 0, highest: justBelow(score) };
  }
  return best;
}

function justBelow(score: number): number {
  return Math.min(score, Number.MAX_VALUE) * (1 - Number.EPSILON);
}
