import { gammaln } from 'simple-statistics';

const tiny = 1e-300;
const precision = 1e-12;

/** Keeps a divisor of Lentz's method away from 0. */
function awayFromZero(value: number): number {
  return Math.abs(value) < tiny ? tiny : value;
}

/**
 * Regularised incomplete beta function I_x(a, b), by its continued fraction (NIST DLMF 8.17.22) with
 * Lentz's method. Converges fast for x < (a + 1) / (a + b + 2); `regularisedBeta` sees to that.
 */
function betaFraction(x: number, a: number, b: number): number {
  let c = 1;
  let d = 1 / awayFromZero(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m <= 1000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / awayFromZero(1 + even * d);
    c = awayFromZero(1 + even / c);
    fraction *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / awayFromZero(1 + odd * d);
    c = awayFromZero(1 + odd / c);
    const step = d * c;
    fraction *= step;
    if (Math.abs(step - 1) < precision) {
      break;
    }
  }
  const front = Math.exp(gammaln(a + b) - gammaln(a) - gammaln(b) + a * Math.log(x) + b * Math.log1p(-x));
  return (front * fraction) / a;
}

function regularisedBeta(x: number, a: number, b: number): number {
  if (x <= 0 || x >= 1) {
    return x <= 0 ? 0 : 1;
  }
  return x < (a + 1) / (a + b + 2) ? betaFraction(x, a, b) : 1 - betaFraction(1 - x, b, a);
}

/** Chance that a Student t value with `df` degrees of freedom (any positive number) exceeds `t`. */
export function studentTail(t: number, df: number): number {
  const beyond = regularisedBeta(df / (df + t * t), df / 2, 0.5) / 2;
  return t >= 0 ? beyond : 1 - beyond;
}

/** Density of Student's t. */
function studentDensity(t: number, df: number): number {
  const scale = Math.exp(gammaln((df + 1) / 2) - gammaln(df / 2)) / Math.sqrt(df * Math.PI);
  return scale * (1 + (t * t) / df) ** (-(df + 1) / 2);
}

/**
 * A value below the one that a standard normal value exceeds with the chance `p`, at most 0.5, by 0.0015 at most: the
 * approximation of Abramowitz and Stegun 26.2.23, whose error is below 0.00045.
 */
function belowNormalQuantile(p: number): number {
  const t = Math.sqrt(-2 * Math.log(p));
  const above = 2.515517 + t * (0.802853 + t * 0.010328);
  const below = 1 + t * (1.432788 + t * (0.189269 + t * 0.001308));
  return Math.max(0, t - above / below - 0.001);
}

/**
 * The value that a Student t one stays below with the given chance, 0.5 <= chance < 1. Newton's method from a normal value,
 * whose tail is the lighter one: right of 0 the tail is convex, so that the steps come up to the value from below and never
 * pass it.
 */
export function studentQuantile(chance: number, df: number): number {
  let t = belowNormalQuantile(1 - chance);
  for (let step = 0; step < 200; step++) {
    const missing = (studentTail(t, df) - (1 - chance)) / studentDensity(t, df);
    t += missing;
    if (missing <= precision * t) {
      break;
    }
  }
  return t;
}

/** A p value below the precision of 1 - p; nobody needs to tell those apart. */
const smallestP = 1e-15;
export const greatestScore = 8;

/** So many degrees of freedom make Student's t the normal distribution. */
const normalDf = 1e9;

/** Chance that a standard normal value exceeds `score`. */
export function normalTail(score: number): number {
  return studentTail(score, normalDf);
}

/** The standard normal value that is exceeded with the chance `p`. */
export function standardScore(p: number): number {
  if (p > 0.5) return -standardScore(1 - p);
  return p < smallestP ? greatestScore : studentQuantile(1 - p, normalDf);
}
