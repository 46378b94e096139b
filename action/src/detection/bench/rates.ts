import type { Rate, RuleAnswers } from '../../model/detection.ts';
import { createRandom, wilson } from '../../stats/index.ts';
import { type Answer, redLimit } from './answers.ts';
import { type Tally, tallyOf } from './tally.ts';

/** An answer, and the run or the pair that was judged: the cluster of everything that was measured in it. */
export interface ClusteredAnswer extends Answer {
  readonly cluster: string;
}

const resamples = 2000;
const twoSided = 0.05;
const z95 = 1.96;

/**
 * The share of answers that are red, with a percentile bootstrap over clusters. Few clusters make a bootstrap too narrow,
 * and where all of them agree it shows no spread at all. The interval therefore contains Wilson's for as many independent
 * checks as there are clusters.
 */
export function clusteredRate(answers: readonly Pick<ClusteredAnswer, 'cluster' | 'score'>[]): Rate {
  const clusters = [...Map.groupBy(answers, ({ cluster }) => cluster).values()].map((all) => ({
    red: all.filter(({ score }) => score > redLimit).length,
    checks: all.length,
  }));
  if (clusters.length === 0) return { rate: 0, low: 0, high: 1 };
  const total = (some: typeof clusters) => {
    const sum = (read: (one: (typeof clusters)[number]) => number) =>
      some.reduce((all, one) => all + read(one), 0);
    return sum(({ red }) => red) / sum(({ checks }) => checks);
  };
  const random = createRandom(4);
  const drawn = Array.from({ length: resamples }, () =>
    total(clusters.map((one) => clusters[Math.floor(random() * clusters.length)] ?? one)),
  ).toSorted((a, b) => a - b);
  const rate = total(clusters);
  const at = (share: number) => drawn[Math.round(share * (resamples - 1))] ?? rate;
  const independent = wilson({ events: rate * clusters.length, trials: clusters.length }, z95);
  return {
    rate,
    low: Math.min(rate, at(twoSided / 2), independent.low),
    high: Math.max(rate, at(1 - twoSided / 2), independent.high),
  };
}

/** The answers of every rule on recorded runs. */
export function clusteredAnswers(answers: readonly ClusteredAnswer[]): RuleAnswers[] {
  const byRule = Map.groupBy(answers, ({ rule }) => rule);
  return tallyOf(answers).map((tally) => {
    const own = byRule.get(tally.rule) ?? [];
    return {
      ...sharesOf(tally),
      runs: new Set(own.map(({ cluster }) => cluster)).size,
      red: clusteredRate(own),
    };
  });
}

/** The answers of a rule on checks that were drawn anew each. */
export function independentAnswers(tally: Tally): RuleAnswers {
  return { ...sharesOf(tally), red: wilsonRate(tally.red, tally.checks) };
}

/** The share of independent checks that are red. */
export function independentRate(checks: readonly Pick<Answer, 'score'>[]): Rate {
  return wilsonRate(checks.filter(({ score }) => score > redLimit).length, checks.length);
}

function wilsonRate(events: number, trials: number): Rate {
  return { rate: events / trials, ...wilson({ events, trials }, z95) };
}

function sharesOf({ rule, checks, suspect, outcomes, minutes }: Tally): Omit<RuleAnswers, 'red'> {
  return {
    rule,
    checks,
    suspect: suspect / checks,
    outcomes: Object.fromEntries(Object.entries(outcomes).map(([name, found]) => [name, found / checks])),
    minutes: minutes / checks,
  };
}
