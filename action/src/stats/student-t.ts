import { gammaln } from 'simple-statistics';

const tiny = 1e-300;
const precision = 1e-12;

/**
 * Newton's method doubles the digits with every step. After one of at most this share of the value, another would not be
 * seen.
 */
const lastStep = 1e-7;

/** Keeps a divisor of Lentz's method away from 0. */
function awayFromZero(value: number): number {
  return Math.abs(value) < tiny ? tiny : value;
}

/**
 * Regularised incomplete beta function I_x(a, b), by its continued fraction (NIST DLMF 8.17.22) with
 * Lentz's method. Converges fast for x < (a + 1) / (a + b + 2); `regularisedBeta` sees to that.
 *
 * @param front x^a (1 - x)^b / B(a, b)
 */
function betaFraction(x: number, a: number, b: number, front: number): number {
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
  return (front * fraction) / a;
}

function regularisedBeta(x: number, a: number, b: number, front: number): number {
  if (x <= 0 || x >= 1) {
    return x <= 0 ? 0 : 1;
  }
  return x < (a + 1) / (a + b + 2) ? betaFraction(x, a, b, front) : 1 - betaFraction(1 - x, b, a, front);
}

/** Density of Student's t at 0. */
function densityAtZero(df: number): number {
  return Math.exp(gammaln((df + 1) / 2) - gammaln(df / 2)) / Math.sqrt(df * Math.PI);
}

/** Density of Student's t at `t`, and the chance of exceeding it. */
function studentAt(
  t: number,
  df: number,
  atZero: number,
): { readonly density: number; readonly tail: number } {
  const density = atZero * (1 + (t * t) / df) ** (-(df + 1) / 2);
  const beyond = regularisedBeta(df / (df + t * t), df / 2, 0.5, Math.abs(t) * density) / 2;
  return { density, tail: t >= 0 ? beyond : 1 - beyond };
}

/** Chance that a Student t value with `df` degrees of freedom (any positive number) exceeds `t`. */
export function studentTail(t: number, df: number): number {
  return studentAt(t, df, densityAtZero(df)).tail;
}

/** The error of `aboutNormal` at most. */
const normalError = 0.00045;

/** About what a standard normal value exceeds with the chance `p`, at most 0.5 (Abramowitz and Stegun 26.2.23). */
function aboutNormal(p: number): number {
  const t = Math.sqrt(-2 * Math.log(p));
  const above = 2.515517 + t * (0.802853 + t * 0.010328);
  const below = 1 + t * (1.432788 + t * (0.189269 + t * 0.001308));
  return t - above / below;
}

/** About Student's t where a standard normal value is `z`, by its expansion in 1 / df (Abramowitz and Stegun 26.7.5). */
function aboutStudent(z: number, df: number): number {
  const square = z * z;
  const terms = [
    1,
    (square + 1) / 4,
    ((5 * square + 16) * square + 3) / 96,
    (((3 * square + 19) * square + 17) * square - 15) / 384,
  ];
  return z * terms.reduceRight((sum, term) => sum / df + term, 0);
}

/**
 * The value that a Student t one stays below with the given chance, 0.5 <= chance < 1. Newton's method: right of 0 the tail is
 * convex, so that the steps come up to the value from below and never pass it. A normal value is below, since its tail is
 * the lighter one. The expansion is closer, and serves unless it is too far above.
 */
export function studentQuantile(chance: number, df: number): number {
  const wanted = 1 - chance;
  const atZero = densityAtZero(df);
  const missingAt = (t: number) => {
    const { density, tail } = studentAt(t, df, atZero);
    return (tail - wanted) / density;
  };
  const normal = aboutNormal(wanted);
  const below = Math.max(0, normal - normalError);
  const close = Math.max(below, aboutStudent(normal, df));
  let t = Math.max(below, close + missingAt(close));
  for (let step = 0; step < 200; step++) {
    const missing = missingAt(t);
    t += missing;
    if (missing <= lastStep * t) {
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
