import { InvalidArgumentError } from 'commander';
import { percent, positiveDuration } from '../../model/config-values.ts';

/** Reads a number above 0 and at most `most`; digits may be grouped, as in 25,000. */
export function positiveNumber(most = Number.POSITIVE_INFINITY): (text: string) => number {
  const range = Number.isFinite(most) ? `above 0 and at most ${most}` : 'above 0';
  return (text) => {
    const value = Number(text.replaceAll(/[,_]/g, ''));
    if (Number.isFinite(value) && value > 0 && value <= most) return value;
    throw new InvalidArgumentError(`expected a number ${range}`);
  };
}

/** Reads a whole number from `least` to `most`. */
export function wholeNumber(most: number, least = 1): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^[1-9]\d*$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`expected a whole number from ${least} to ${most}`);
  };
}

/** Reads a number from `least` to `most`. */
export function numberBetween(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`expected a number from ${least} to ${most}`);
  };
}

/** Reads a duration of more than 0 with its unit, such as `30m`, in seconds. */
export function durationInSeconds(text: string): number {
  const { data } = positiveDuration.safeParse(text);
  if (data !== undefined) return data;
  throw new InvalidArgumentError('expected a duration with its unit, such as 30m, 45s or 500ms');
}

/** Reads a percentage above 0 and at most 100%, such as `5%`, as a share from 0 to 1. */
export function percentage(text: string): number {
  const { data = 0 } = percent.safeParse(text);
  if (data > 0 && data <= 1) return data;
  throw new InvalidArgumentError('expected a percentage such as 5%');
}
