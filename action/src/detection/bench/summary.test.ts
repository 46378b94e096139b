import { describe, expect, it } from 'vitest';
import { faultOf } from '../../../test/contract/fault-of.ts';
import {
  type RecordedName,
  recordedConfig,
  recordedPlan,
  recordedRun,
} from '../../../test/recorded/recorded-runs.ts';
import { detectionSchema } from '../../model/detection.ts';
import { explanationReport } from '../../report/index.ts';
import type { RecordedRun } from '../data/recorded-run.ts';
import { effectKinds } from '../effects.ts';
import { levers } from '../rules/levers.ts';
import { peersLearnedFrom } from '../rules/peers.ts';
import { worlds } from '../simulation/world.ts';
import type { Answer } from './answers.ts';
import { explain } from './explain.ts';
import { type Job, jobsOf, reference, sceneName } from './jobs.ts';
import { openBench, type PlannedAnswers, runJob } from './run-job.ts';
import { summarise } from './summary.ts';

function recorded(name: RecordedName, change = ''): RecordedRun {
  return { regime: 'quiet', placement: 'stored', pair: '', change, run: recordedRun(name) };
}

/** Eight runs in time order, so that both halves have checks. */
const unchanged = [0, 1].flatMap((day) =>
  (['01-unchanged', '02-unchanged', '07-unchanged', '12-unchanged'] as const).map((name) => {
    const one = recorded(name);
    const startedAt = new Date(Date.parse(one.run.startedAt) + day * 86_400_000).toISOString();
    return { ...one, run: { ...one.run, id: `${name}-${day}`, startedAt } };
  }),
);
const pair = (['base', 'head'] as const).map((placement): RecordedRun => {
  const name = `06-n-plus-1-interleaved-${placement}` as const;
  return { ...recorded(name, placement === 'head' ? 'n-plus-1' : ''), placement, pair: 'one' };
});
const input = {
  recorded: [...unchanged, recorded('05-plan-overview-n-plus-1', 'n-plus-1'), ...pair],
  config: recordedConfig,
  plan: recordedPlan,
};
const bench = openBench(input);

const jobs: readonly Job[] = [
  { kind: 'recorded', scene: {} },
  { kind: 'recorded', scene: reference },
  { kind: 'lever', lever: 'whole', scene: {} },
  { kind: 'changes' },
  { kind: 'series', effect: { kind: 'cpu', size: 0.3 }, count: 4 },
  { kind: 'simulated', world: 'steady', checks: 4, seed: 1 },
  { kind: 'simulated', world: 'steady', checks: 3, seed: 2 },
  {
    kind: 'simulated',
    world: 'steady',
    effect: { kind: 'cpu', size: 0.1 },
    checks: 4,
    seed: 1,
  },
];
const circumstances = {
  commit: 'a'.repeat(40),
  date: '2026-11-24',
  machine: { cpuModel: 'one', cpuCount: 2 },
  seconds: 1,
};
const results = jobs.map((job) => runJob(bench, job));
const found = summarise(bench, results, circumstances);
const rules = [...found.rules.map(({ name }) => name)];

describe('the results of the bench', () => {
  it('are of the published shape, and survive JSON', () => {
    expect(detectionSchema.parse(JSON.parse(JSON.stringify(found)))).toEqual(found);
  });

  it('have every rule in every table', () => {
    const expected = [
      'perf-gate-stored',
      'perf-gate-beside',
      ...peersLearnedFrom([]).map(({ name }) => name),
    ];
    expect(rules).toEqual(expected);
    const of = (rows: readonly { readonly rule: string }[]) => new Set(rows.map(({ rule }) => rule));
    expect(of(found.unchanged)).toEqual(new Set(expected));
    expect(of(found.power)).toEqual(new Set(expected));
    expect(of(found.simulated)).toEqual(new Set(expected));
    expect(of(found.simulatedEqual)).toEqual(new Set(expected));
    expect(of(found.equal)).toEqual(new Set(expected));
  });

  it('say what they were found with', () => {
    expect(found.data).toMatchObject({
      runs: 8,
      regimes: { quiet: 8 },
      pairs: 0,
      pairRegimes: {},
      changes: 2,
      history: 7,
      trials: 15,
    });
  });

  it('name each machine once', () => {
    const others = unchanged.map((one) => {
      const fingerprint = { ...one.run.fingerprint, cpuModel: 'Other CPU' };
      return { ...one, run: { ...one.run, id: `other-${one.run.id}`, fingerprint } };
    });
    const both = openBench({ ...input, recorded: [...input.recorded, ...others] });
    expect(summarise(both, results, circumstances).data.recordedOn).toBe(
      'AMD EPYC, 2 cores; Other CPU, 2 cores',
    );
  });

  it('set limits by what rules learned from the half that sets them', () => {
    const trials = results.flatMap((one) =>
      one.kind === 'recorded' && one.scene.effect !== undefined ? one.trials : [],
    );
    const answersOf = (half: number, read: (one: PlannedAnswers) => readonly Answer[]) =>
      trials.filter(({ plan }) => plan.half === half).map(read);
    for (const half of [0, 1]) {
      const answers = answersOf(half, ({ answers: own }) => own);
      const calibrating = answersOf(half, ({ whereItCalibrates }) => whereItCalibrates);
      const without = (all: typeof answers) =>
        all.map((one) => one.filter(({ rule }) => rule !== 'clickhouse-learned'));
      expect(without(calibrating)).toEqual(without(answers));
      expect(calibrating).not.toEqual(answers);
    }
  });

  it('take a block to last as long as one whose neighbour is judged by times too', () => {
    const late = (at: number) => new Date(1e12 + 1000 * at).toISOString();
    // Two blocks that only count costs lie in the middle of each round, and are not among these.
    const spaced = unchanged.map((one) => ({
      ...one,
      run: {
        ...one.run,
        cells: one.run.cells.map((cell, at) => ({
          ...cell,
          blocks: cell.blocks.map((block, round) => ({
            ...block,
            startedAt: late(70 * round + 8 * at + (at < 3 ? 0 : 16)),
          })),
        })),
      },
    }));
    expect(openBench({ ...input, recorded: spaced }).durations.blockSeconds).toBe(8);
  });

  it('count shares that add up', () => {
    for (const { outcomes, red, checks } of [...found.unchanged, ...found.power, ...found.simulated]) {
      expect(Object.values(outcomes).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 10);
      expect(outcomes.regression ?? 0).toBeCloseTo(red.rate, 10);
      expect(red.low).toBeLessThanOrEqual(red.rate);
      expect(red.high).toBeGreaterThanOrEqual(red.rate);
      expect(checks).toBeGreaterThan(0);
    }
  });

  it('add the simulated checks of all jobs', () => {
    const checks = (rule: string, scene: string) =>
      found.simulated.find((one) => one.rule === rule && one.scene === scene)?.checks;
    expect(rules.map((rule) => checks(rule, 'unchanged'))).toEqual(rules.map(() => 7));
    expect(checks('perf-gate-stored', 'cpu 10%')).toBe(4);
  });

  it('hold rules against changes that were really made', () => {
    const answers = Object.fromEntries(
      found.changes.map(({ change, rule, answer }) => [`${change}: ${rule}`, answer]),
    );
    expect(answers['n-plus-1: perf-gate-stored']).toBe('red');
    expect(answers['n-plus-1: github-action-benchmark-200']).toBe('not red');
    expect(answers['n-plus-1, base next to head: perf-gate-beside']).toBe('red');
    expect(answers['n-plus-1: kayenta']).toBeUndefined();
  });

  it('find a large change in a series', () => {
    const [otava] = found.series;
    expect(otava).toMatchObject({ rule: 'otava', series: 4, scene: 'cpu 30%' });
    expect(otava?.within20).toBeGreaterThan(0);
  });

  it('are the same for the same runs', () => {
    const again = jobs.slice(0, 2).map((job) => runJob(openBench(input), job));
    expect(again).toEqual(jobs.slice(0, 2).map((job) => runJob(bench, job)));
  });
});

describe('an explanation', () => {
  it('has the checks behind a rate, with the figure that decided each', () => {
    for (const rule of ['bencher-percentage-10', 'perf-gate-stored', 'clickhouse']) {
      const { checks, red } = explain(bench, rule, 'cpu 10%');
      const answers = found.power.find((one) => one.rule === rule && one.scene === 'cpu 10%');
      expect([checks.length, red]).toEqual([answers?.checks, answers?.red]);
    }
    const { checks } = explain(bench, 'bencher-percentage-10', 'cpu 10%');
    for (const { outcome, worst, changed, base } of checks) {
      expect(outcome === 'regression').toBe((worst?.score ?? 0) > 1);
      expect(changed).toMatch(/@/);
      expect(worst?.base.length).toBe(base.length);
    }
    for (const { outcome, worst } of explain(bench, 'perf-gate-stored', 'cpu 30%').checks) {
      if (outcome === 'regression') expect(worst?.score).toBeGreaterThan(0.5);
      expect([worst?.base.length, worst?.head.length]).toEqual([1, 1]);
    }
    const [counted] = explain(bench, 'perf-gate-stored', 'counts 5%').checks;
    expect(counted?.worst?.name).toMatch(/@.+ SQL statements per request$/);
    const text = explanationReport(explain(bench, 'perf-gate-stored', 'unchanged'));
    expect(text).toContain('perf-gate-stored, unchanged: red in 0 of 15 checks, which is 0% [0, 43].');
  });

  it.each([
    ['nothing', 'unchanged', '--explain', 'perf-gate-stored'],
    ['bencher-t', 'cpu 11%', '--scene', 'cpu 10%'],
  ])('lists what there is instead of %s, %s', async (rule, scene, place, known) => {
    const fault = await faultOf((async () => explain(bench, rule, scene))());
    expect(fault).toMatchObject({ code: 'E_BENCH_NAME', kind: 'usage', place });
    expect(fault.nextStep).toContain(known);
  });
});

it('needs enough runs of unchanged code', async () => {
  const few = { ...input, recorded: input.recorded.slice(5) };
  const fault = await faultOf((async () => openBench(few))());
  expect(fault).toMatchObject({ code: 'E_FEW_RUNS', kind: 'usage' });
  expect(fault.cause).toContain('none of the 3 stored runs');
});

describe('the jobs of a bench', () => {
  const all = jobsOf(10_000);

  it('simulate as many unchanged checks in each world as asked for', () => {
    for (const { name } of worlds) {
      const own = all.filter(
        (job) => job.kind === 'simulated' && job.world === name && job.effect === undefined,
      );
      expect(own.reduce((sum, job) => sum + (job.kind === 'simulated' ? job.checks : 0), 0)).toBe(10_000);
      const seeds = own.map((job) => (job.kind === 'simulated' ? job.seed : 0));
      expect(new Set(seeds).size).toBe(seeds.length);
    }
    expect(jobsOf(7).filter((job) => job.kind === 'simulated' && job.checks !== 7)).toEqual([]);
  });

  it('put every kind of effect into recorded runs, and leave every part out', () => {
    const scenes = all.flatMap((job) => (job.kind === 'recorded' ? [sceneName(job.scene)] : []));
    expect(scenes[0]).toBe('unchanged');
    for (const kind of effectKinds)
      expect(scenes.filter((name) => name.startsWith(kind)).length).toBeGreaterThanOrEqual(4);
    expect(scenes).toContain('cpu 5% everywhere');
    expect(new Set(all.flatMap((job) => (job.kind === 'lever' ? [job.lever] : [])))).toEqual(
      new Set(levers.map(({ name }) => name)),
    );
  });
});
