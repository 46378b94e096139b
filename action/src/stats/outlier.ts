import { median, medianAbsoluteDeviation } from 'simple-statistics';
import { moderate, type VarianceEstimate } from './variance.ts';

/** Modified z scores beyond this are outliers (Iglewicz and Hoaglin 1993). */
const farthestScore = 3.5;

/** What makes the median absolute deviation of normal values their standard deviation. */
const toStandardDeviation = 1.4826;

/**
 * How far each value lies from the median if that is too far, else 0. The median absolute deviation of three values is
 * but the distance of two of them, so that it is moderated by the prior, and taken for no less.
 */
export function outlyingBy(values: readonly number[], prior: VarianceEstimate): readonly number[] {
  if (values.length === 0) return [];
  const centre = median([...values]);
  const observed = (toStandardDeviation * medianAbsoluteDeviation([...values])) ** 2;
  const { variance } = moderate({ variance: observed, df: values.length - 1 }, prior);
  const sd = Math.sqrt(Math.max(prior.variance, variance));
  return values.map((value) => (Math.abs(value - centre) > farthestScore * sd ? value - centre : 0));
}
