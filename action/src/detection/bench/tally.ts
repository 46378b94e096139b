import { outcomes } from '../../model/verdict.ts';
import type { Answer } from './answers.ts';

/** What a rule answered, over many checks. */
export interface Tally {
  readonly rule: string;
  readonly checks: number;
  readonly red: number;
  readonly suspect: number;
  /** Checks by outcome, those with none left out. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Sum over the checks. */
  readonly minutes: number;
}

const count = <One>(all: readonly One[], holds: (one: One) => boolean) => all.filter(holds).length;

export function tallyOf(answers: readonly Answer[]): readonly Tally[] {
  const byRule = Map.groupBy(answers, ({ rule }) => rule);
  return [...byRule].map(([rule, all]) => ({
    rule,
    checks: all.length,
    red: count(all, ({ outcome }) => outcome === 'regression'),
    suspect: count(all, ({ isSuspect }) => isSuspect),
    outcomes: Object.fromEntries(
      [...outcomes, 'cannot' as const].flatMap((outcome) => {
        const found = count(all, (answer) => answer.outcome === outcome);
        return found === 0 ? [] : [[outcome, found] as const];
      }),
    ),
    minutes: all.reduce((sum, { minutes }) => sum + minutes, 0),
  }));
}

/** Tallies of several jobs, rule by rule. */
export function addTallies(tallies: readonly Tally[]): readonly Tally[] {
  const byRule = Map.groupBy(tallies, ({ rule }) => rule);
  return [...byRule].map(([rule, all]) => {
    const sum = (read: (tally: Tally) => number) => all.reduce((total, tally) => total + read(tally), 0);
    const names = new Set(all.flatMap((tally) => Object.keys(tally.outcomes)));
    return {
      rule,
      checks: sum(({ checks }) => checks),
      red: sum(({ red }) => red),
      suspect: sum(({ suspect }) => suspect),
      outcomes: Object.fromEntries(
        [...names].map((name) => [name, sum((tally) => tally.outcomes[name] ?? 0)]),
      ),
      minutes: sum(({ minutes }) => minutes),
    };
  });
}
