import { describe, expect, it } from 'vitest';
import { recordedConfig, recordedPlan, recordedRun } from '../../../test/recorded/recorded-runs.ts';
import { createRandom } from '../../stats/index.ts';
import { answerOfOwn, ownRules } from '../bench/answers.ts';
import type { Scene } from '../bench/jobs.ts';
import type { RecordedRun } from '../data/recorded-run.ts';
import { planTrials, recordedData, recordedTrial } from '../data/recorded-trials.ts';
import { levers } from './levers.ts';
import { type Lever, ownAnswer, whole } from './own.ts';

const judging = { config: recordedConfig, plan: recordedPlan };
const data = recordedData(
  (['01-unchanged', '02-unchanged', '07-unchanged', '12-unchanged'] as const).map(
    (name): RecordedRun => ({
      regime: 'quiet',
      placement: 'stored',
      pair: '',
      change: '',
      run: recordedRun(name),
    }),
  ),
);
const plans = planTrials(data, 6, 6, createRandom(1));

/** Outcomes of all planned trials. */
function outcomes(lever: Lever, scene: Scene = {}): readonly string[] {
  return plans.map((plan) => ownAnswer(recordedTrial(data, plan, scene), judging, lever).verdict.outcome);
}
const reds = (all: readonly string[]) => all.filter((outcome) => outcome === 'regression').length;

function leverOf(name: string): Lever {
  const found = levers.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no part ${name}`);
  return found;
}

describe("this project's rule", () => {
  it('judges a trial as a check would, and re-measures what looks worse', () => {
    const trial = recordedTrial(data, plans[0] ?? expect.unreachable(), {
      effect: { kind: 'waiting', size: 0.3 },
    });
    const { verdict, suspects, rounds, blocksAgain } = ownAnswer(trial, judging);
    expect(verdict.outcome).toBe('regression');
    expect(suspects).toBeGreaterThanOrEqual(1);
    // It measures the clear suspect again as soon as it asks.
    expect(rounds).toBe(2);
    expect(ownAnswer(recordedTrial(data, plans[0] ?? expect.unreachable()), judging).rounds).toBe(4);
    // It measures the clearest suspect first, and stops once that is proved.
    expect([2, 4]).toContain(blocksAgain);
    const { minutes } = answerOfOwn(trial, judging, ownRules[0] ?? expect.unreachable(), {
      bootSeconds: 60,
      blockSeconds: 10,
    });
    expect(minutes).toBeCloseTo((60 + 12 * 10 + 2 * (60 + blocksAgain * 10)) / 60, 10);
  });

  it('looks at interleaved rounds from the start if it is asked to', () => {
    const trial = recordedTrial(data, plans[0] ?? expect.unreachable());
    const beside = { ...whole, mode: 'side-by-side' } as const;
    const slower = recordedTrial(data, plans[0] ?? expect.unreachable(), {
      effect: { kind: 'waiting', size: 0.3 },
    });
    expect(ownAnswer(trial, judging, beside).verdict.outcome).not.toBe('regression');
    const changed = { ...trial, beside: slower.beside, again: slower.again };
    expect(ownAnswer(changed, judging, beside).verdict.outcome).toBe('regression');
  });

  it('finds what it should, and nothing in unchanged code', () => {
    expect(reds(outcomes(whole))).toBe(0);
    expect(reds(outcomes(whole, { effect: { kind: 'cpu', size: 0.3 } }))).toBeGreaterThan(plans.length / 2);
    expect(reds(outcomes(whole, { effect: { kind: 'counts', size: 0.05 } }))).toBe(plans.length);
  });
});

describe('without a part', () => {
  it.each([
    ['machine-speed', { kind: 'waiting', size: 0.1 }],
    ['counts', { kind: 'counts', size: 0.3 }],
    ['confirmation', { kind: 'cpu', size: 0.1 }],
  ] as const)('%s, fewer changes are found', (name, effect) => {
    expect(reds(outcomes(leverOf(name), { effect }))).toBeLessThan(reds(outcomes(whole, { effect })));
  });

  it('no part is missed where nothing was changed', () => {
    for (const lever of levers) expect(reds(outcomes(lever))).toBeLessThanOrEqual(1);
  });

  it('groups: what all cells share a little of is found in fewer checks', () => {
    const scene = { effect: { kind: 'cpu', size: 0.05 }, everywhere: true } as const;
    expect(reds(outcomes(leverOf('groups'), scene))).toBeLessThan(reds(outcomes(whole, scene)));
  });
});
