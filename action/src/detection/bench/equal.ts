import type { Detection, Rate } from '../../model/detection.ts';
import { type Answer, ownRules } from './answers.ts';

/** What a rule made of a check; red above 1. */
export type Scored = Pick<Answer, 'rule' | 'ofPair' | 'score'>;

/** Checks of unchanged code and of the reference change. */
interface Both<One> {
  readonly unchanged: readonly One[];
  readonly changed: readonly One[];
}

/** The checks that set a limit, and those that test it. */
export interface Halves<One> {
  readonly calibrating: Both<One>;
  readonly testing: Both<One>;
}

/** How many of the checks are above a limit, with an interval. */
type RateAbove<One> = (checks: readonly One[], limit: number) => Rate;

const ownLimit = 1;

/**
 * Every rule as it is, and every peer with two other limits: one that raises as many false alarms as our rule, and one that
 * finds as many changes. Both are set by the half that calibrates. What a rule then does is counted in the other half.
 * Peers that judge a pair are held against our rule that does, and the others against our rule for stored runs. Empty unless
 * both halves have checks.
 */
export function equalised<One extends Scored>(
  { calibrating, testing }: Halves<One>,
  rateAbove: RateAbove<One>,
): Detection['equal'] {
  const all = [calibrating.unchanged, calibrating.changed, testing.unchanged, testing.changed];
  if (all.some((checks) => checks.length === 0)) return [];
  const isOurs = (name: string) => ownRules.some((rule) => rule.name === name);
  const rules = [...new Map(calibrating.unchanged.map((check) => [check.rule, check])).values()];
  return rules.map(({ rule, ofPair }) => {
    const tested = of(testing, rule);
    const at = (limit: number) => ({
      falseAlarms: rateAbove(tested.unchanged, limit),
      power: rateAbove(tested.changed, limit),
    });
    const asItIs = at(ownLimit);
    const own = rules.find((one) => isOurs(one.rule) && one.ofPair === ofPair);
    if (isOurs(rule) || own === undefined) return { rule, asItIs };
    const [ours, theirs] = [of(calibrating, own.rule), of(calibrating, rule)];
    return {
      rule,
      against: own.rule,
      asItIs,
      atFalseAlarms: at(limitFor(theirs.unchanged, redShare(ours.unchanged))),
      atPower: at(limitFor(theirs.changed, redShare(ours.changed))),
    };
  });
}

function of<One extends Scored>({ unchanged, changed }: Both<One>, rule: string): Both<One> {
  const isOf = (check: One) => check.rule === rule;
  return { unchanged: unchanged.filter(isOf), changed: changed.filter(isOf) };
}

function redShare(checks: readonly Scored[]): number {
  return checks.filter(({ score }) => score > ownLimit).length / Math.max(1, checks.length);
}

/** The score above which this share of the checks lies; just below the lowest one if that is all of them. */
function limitFor(checks: readonly Scored[], share: number): number {
  const above = Math.round(share * checks.length);
  const scores = checks.map(({ score }) => score).toSorted((a, b) => b - a);
  const [lowest = 0] = scores.filter(Number.isFinite).slice(-1);
  return scores[above] ?? lowest - Number.EPSILON * Math.max(1, Math.abs(lowest));
}
