import { type Sweep, type SweptVariant, toleratedLoss } from '../../model/sweep.ts';
import { bestValue } from '../../stats/index.ts';
import { goodness } from './goodness.ts';
import type { SweepTaken } from './sweep.ts';

type About = Pick<
  Sweep,
  'id' | 'startedAt' | 'cell' | 'commit' | 'machine' | 'partial' | 'figure' | 'tolerance' | 'cpus'
>;

/** What the boots show. Only values that were measured to the end, or as far as the sweep came, are compared. */
export function sweepOf(about: About, taken: readonly SweepTaken[]): Sweep {
  const left = taken.filter(({ ended, boots }) => ended === undefined && boots.length > 0);
  const repeated = left.filter(({ boots }) => boots.length > 1);
  const hopeless = taken.some((one) => one.hopeless);
  const [only] = left;
  if (left.length === 1 && only !== undefined && hopeless) {
    const best = taken.indexOf(only);
    return { schema: 1, ...about, variants: taken.map((one) => ({ ...one })), best, differs: true };
  }
  if (repeated.length < 2) {
    return { schema: 1, ...about, variants: taken.map((one) => ({ ...one })), differs: false };
  }
  const passes = Math.min(...repeated.map(({ boots }) => boots.length));
  const figures = repeated.map(({ boots }) =>
    boots.slice(0, passes).map((boot) => goodness(boot, about.figure)),
  );
  const { best, contrasts, differs } = bestValue(figures, toleratedLoss(about));
  const variants = taken.map((one): SweptVariant => {
    const found = contrasts[repeated.indexOf(one)];
    if (found === undefined) return { ...one };
    const { logRatio, halfWidth, asGood } = found;
    const [change, low, high] = [logRatio, logRatio - halfWidth, logRatio + halfWidth].map(Math.expm1);
    return { ...one, contrast: { change: change ?? 0, low: low ?? 0, high: high ?? 0, asGood } };
  });
  const bestOne = repeated[best];
  return {
    schema: 1,
    ...about,
    variants,
    ...(bestOne !== undefined && { best: taken.indexOf(bestOne) }),
    differs: differs || hopeless,
  };
}
