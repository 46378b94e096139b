import { describe, expect, it } from 'vitest';
import {
  type FakeCheck,
  type FakeCheckOptions,
  fakeCheck,
  fakeFault,
  headCommit,
} from '../../test/fakes/check-ports.ts';
import { runOfTps, simulatedOptions, simulatedVus } from '../../test/simulation/simulated-run.ts';
import { planSuite } from '../measure/index.ts';
import { configSchema } from '../model/config.ts';
import { invalidReason } from '../model/invalid-reason.ts';
import type { StackProfile } from '../model/profile.ts';
import type { Run } from '../model/run.ts';
import { type CheckResult, check } from './check.ts';
import type { CheckPlan } from './check-plan.ts';
import { judgeSuite } from './judge-suite.ts';

const scenario = { script: 'browse.js', loads: { peak: { vus: simulatedVus } } };
const config = configSchema.parse({
  version: 1,
  name: 'shop',
  stack: { compose: { file: 'compose.yml', service: 'shop', port: 80, ready: { port: 80, path: '/' } } },
  scenarios: { 'scenario-0': scenario, 'scenario-1': scenario },
  suites: { pr: { cells: ['scenario-0@peak', 'scenario-1@peak'], rounds: 3 } },
  signals: simulatedOptions.signals,
});
const suite = planSuite(config, 'pr', 'perf/gate.yml');

const same = () => runOfTps('head', 500, 500);
const slower = () => runOfTps('head', 500, 200);
const littleSlower = () => runOfTps('head', 500, 462);
const slowerHead = (side: string) => (side === 'head' ? slower() : same());
const littleSlowerHead = (side: string) => (side === 'head' ? littleSlower() : same());
const stored = ['one', 'two', 'three'].map((id) => runOfTps(id, 500, 500));
const newestStored = stored.at(-1)?.code.commit ?? '';
const fork = 'f'.repeat(40);
const named = 'e'.repeat(40);

function withData(run: Run, dataKey: string): Run {
  return { ...run, fingerprint: { ...run.fingerprint, dataKey } };
}

/** The stored runs cannot be compared, because this checkout seeds other data. */
const otherData = () => withData(same(), 'other data');
/** The stored runs cannot be compared, because this machine is another one. */
const otherMachine = (): Run => ({ ...same(), fingerprint: { ...same().fingerprint, cpuModel: 'another' } });
/** Sends other than two statements per request to the database. */
function withStatements(run: Run, statements: number): Run {
  const cells = run.cells.map((cell) => ({
    ...cell,
    blocks: cell.blocks.map((block) => ({ ...block, signals: { ...block.signals, statements } })),
  }));
  return { ...run, cells };
}
/** Head sends more statements in the first scenario. */
function withOneDearer(side: string, run: Run): Run {
  const [first, ...others] = run.cells;
  if (first === undefined || side !== 'head') return run;
  const [dearer = first] = withStatements({ ...run, cells: [first] }, 3).cells;
  return { ...run, cells: [dearer, ...others] };
}
/** The first scenario also receives more bytes. */
function withMoreBytes(run: Run): Run {
  const cells = run.cells.map((cell, at) => ({
    ...cell,
    blocks: cell.blocks.map((block) =>
      at > 0
        ? block
        : { ...block, signals: { ...block.signals, received: 1.1 * (block.signals.received ?? 0) } },
    ),
  }));
  return { ...run, cells };
}
/** The first cell falls silent in its last block. */
function silent(): Run {
  const [first, ...others] = same().cells;
  const last = first?.blocks.at(-1);
  if (first === undefined || last === undefined) throw new Error('the run has no block');
  const invalid = [invalidReason('I_NO_SAMPLES', { countedSeconds: 10, firstError: undefined })];
  const blocks = [...first.blocks.slice(0, -1), { ...last, invalid }];
  return { ...same(), cells: [{ ...first, blocks }, ...others] };
}
const silentHead = (side: string) => (side === 'head' ? silent() : same());
/** The warm-up never settled, so nothing was measured. */
const invalid = (): Run => ({
  ...same(),
  warmUp: { steady: false, seconds: 120, windows: [] },
  cells: [],
  invalid: [{ code: 'I_WARM_UP', cause: 'the service had not settled', nextStep: 'raise `warmUp.cap`' }],
});

async function run(
  mode: CheckPlan['mode'],
  options: FakeCheckOptions,
  baseRef?: string,
  isExplained?: CheckPlan['isExplained'],
): Promise<FakeCheck & { readonly result: CheckResult }> {
  const fake = fakeCheck(options);
  const plan: CheckPlan = { mode, runId: 'run', config, suite, baseRef, isExplained };
  const result = await check(plan, fake.ports, new AbortController().signal);
  expect(fake.verdicts).toEqual([result.verdict]);
  return { ...fake, result };
}

const measureHead = 'measure head: scenario-0@peak scenario-1@peak';
const measureBoth = 'measure base and head: scenario-0@peak scenario-1@peak';
const writeBoth = ['write the head run', 'write the base run'];
const writeAgain = ['write the confirmation run', 'write the confirmation-base run'];

describe('a check that only measures', () => {
  it('neither reads nor writes the baseline', async () => {
    const { result, steps } = await run('none', { figures: same, stored, mayWrite: true });
    expect(steps).toEqual([measureHead, 'write the head run', 'write the verdict: pass']);
    expect(result).toMatchObject({
      stored: false,
      measured: { run: { id: 'run', code: { commit: headCommit } } },
    });
    expect(result.verdict.comparison).toEqual({ kind: 'none', reason: 'not-asked', mismatches: [] });
  });
});

describe('what head does to how it is judged', () => {
  const change = { what: 'tolerances.p95', change: '25% → 90%' };
  const judgingChanges = (base: string) => (base === fork ? [change] : []);

  it('is noted before measuring, and is part of the verdict', async () => {
    const { result, notes } = await run('stored', { figures: same, stored, forkPoint: fork, judgingChanges });
    expect(notes[0]).toContain('tolerances.p95: 25% → 90%');
    expect(result.verdict.judgingChanges).toEqual([change]);
  });

  it('is not asked where nothing is compared', async () => {
    const { result } = await run('none', { figures: same, forkPoint: fork, judgingChanges });
    expect(result.verdict).not.toHaveProperty('judgingChanges');
  });
});

describe('a check against the stored runs alone', () => {
  it.each([
    ['passes an unchanged head', same, 'pass'],
    ['fails a slower head without measuring again', slower, 'regression'],
  ])('%s', async (_, figures, outcome) => {
    const { result, steps } = await run('stored', {
      figures,
      stored,
      history: [newestStored],
      mayWrite: true,
    });
    expect(steps).toEqual([
      'read the baseline',
      measureHead,
      'write the head run',
      `write the verdict: ${outcome}`,
    ]);
    expect(result.verdict.comparison.kind).toBe('stored');
    expect(result.stored).toBe(false);
  });

  it('stores the first run of its kind', async () => {
    const { result, appended, steps } = await run('stored', { figures: same, mayWrite: true });
    expect(result.stored).toBe(true);
    expect(appended).toEqual([result.measured.run]);
    expect(steps.at(-1)).toBe(`append, keep ${config.baseline.keep}`);
  });

  it('ignores a base that it was given', async () => {
    const { steps } = await run('stored', { figures: same, stored }, 'main');
    expect(steps).not.toContain('resolve main');
  });
});

describe('a check that records', () => {
  it.each([
    ['an unchanged head', same],
    ['a slower head, which is what later commits are compared with', slower],
  ])('stores %s', async (_, figures) => {
    const { result, appended } = await run('record', { figures, stored, mayWrite: true });
    expect(result.stored).toBe(true);
    expect(appended).toEqual([result.measured.run]);
  });

  it('refuses before it measures if it may not write', async () => {
    const fake = fakeCheck({ figures: same, stored });
    const plan: CheckPlan = { mode: 'record', runId: 'run', config, suite };
    await expect(check(plan, fake.ports, new AbortController().signal)).rejects.toMatchObject({
      details: { code: 'E_BASELINE_EVENT', place: 'the fake baseline' },
    });
    expect(fake.steps).toEqual([]);
  });

  it('never stores an invalid run', async () => {
    const { result, appended } = await run('record', { figures: invalid, stored, mayWrite: true });
    expect(result).toMatchObject({ stored: false, verdict: { outcome: 'invalid' } });
    expect(result.notStored).toBeUndefined();
    expect(appended).toEqual([]);
  });

  it('keeps the verdict if the store refuses the run', async () => {
    const appendFault = fakeFault('E_BASELINE_PUSH');
    const { result } = await run('record', { figures: same, stored, mayWrite: true, appendFault });
    expect(result).toMatchObject({ stored: false, notStored: appendFault, verdict: { outcome: 'pass' } });
  });

  it('does not take a defect of the store for a refusal', async () => {
    const appendFault = new TypeError('a defect');
    await expect(run('record', { figures: same, stored, mayWrite: true, appendFault })).rejects.toBe(
      appendFault,
    );
  });
});

describe('the first measurement', () => {
  it.each([
    ['auto', 3, true],
    ['auto', 2.1, false],
    ['stored', 3, true],
    ['stored', 2.1, false],
    ['side-by-side', 3, true],
    ['side-by-side', 2.1, false],
    ['record', 3, false],
  ] as const)(
    'of mode %s ends after two rounds with %d statements instead of 2: %s',
    async (mode, statements, enough) => {
      const fake = await run(mode, {
        figures: (side) => (side === 'head' ? withStatements(same(), statements) : same()),
        stored,
        forkPoint: fork,
        mayWrite: mode === 'record',
      });
      expect(fake.result.verdict.outcome).toBe('regression');
      expect(fake.enough).toEqual([enough]);
    },
  );

  it.each([
    ['ends after two rounds if base is measured next', 'auto', slowerHead, [newestStored], true],
    ['takes all rounds without a base commit', 'auto', slowerHead, [], false],
    ['takes all rounds if nothing is measured next', 'stored', slowerHead, [newestStored], false],
    ['takes all rounds for a smaller loss', 'auto', () => runOfTps('head', 500, 470), [newestStored], false],
  ] as const)('of a suspect %s', async (_, mode, figures, history, enough) => {
    const fake = await run(mode, { figures, stored, history });
    expect(fake.result.verdict.cells.flatMap(({ metrics }) => metrics).some(({ suspect }) => suspect)).toBe(
      true,
    );
    expect(fake.enough[0]).toBe(enough);
    expect(fake.result.measured.run.endedEarly).toBe(enough || undefined);
    // What cannot be searched is said once.
    expect(fake.notes.length).toBeLessThanOrEqual(1);
  });

  it.each(['stored', 'auto'] as const)(
    'takes all rounds if another job may record the run, by %s',
    async (mode) => {
      const fake = fakeCheck({ figures: () => withStatements(same(), 3), stored });
      const plan: CheckPlan = { mode, runId: 'run', config, suite, allRounds: true };
      const { verdict } = await check(plan, fake.ports, new AbortController().signal);
      expect(verdict.outcome).toBe('regression');
      expect(fake.enough).toEqual([false]);
    },
  );
});

describe('a side-by-side check', () => {
  const figures = slowerHead;

  it('measures the fork point and the head interleaved, without the stored runs', async () => {
    const { result, steps } = await run('side-by-side', {
      figures: same,
      stored,
      forkPoint: fork,
      mayWrite: true,
    });
    expect(steps).toEqual(['check out ffffffff', measureBoth, ...writeBoth, 'write the verdict: pass']);
    expect(result.verdict.comparison).toMatchObject({ kind: 'side-by-side', baseCommit: fork });
    expect(result).toMatchObject({
      stored: false,
      measured: {
        run: { id: 'run-head', code: { commit: headCommit } },
        base: { id: 'run-base', code: { commit: fork, branch: '', dirty: false } },
      },
    });
    expect(result.measured).not.toHaveProperty('again');
  });

  it('resolves a requested base before it measures', async () => {
    const { steps } = await run('side-by-side', { figures, references: { main: named } }, 'main');
    expect(steps.slice(0, 3)).toEqual(['resolve main', 'check out eeeeeeee', measureBoth]);
  });

  it('measures uncommitted changes against their own commit', async () => {
    const code = { commit: headCommit, branch: 'main', dirty: true };
    const { result } = await run('side-by-side', { figures, code, forkPoint: headCommit });
    expect(result.verdict.comparison).toMatchObject({ baseCommit: headCommit });
  });

  it.each([
    ['confirms what looks worse', littleSlowerHead, 'regression', 'regression'],
    [
      'clears it',
      (side: string, round: number) => (round === 1 ? littleSlowerHead(side) : same()),
      'pass',
      'pass',
    ],
  ])('measures a second time, and %s', async (_, measured, outcome, ofCell) => {
    let measurements = 0;
    const { result, steps, notes } = await run('side-by-side', {
      figures: (side) => {
        if (side === 'base') measurements += 1;
        return measured(side, measurements);
      },
      forkPoint: fork,
    });
    const short = fork.slice(0, 8);
    expect(steps).toEqual([
      `check out ${short}`,
      measureBoth,
      ...writeBoth,
      `check out ${short}`,
      'measure base and head: scenario-1@peak',
      ...writeAgain,
      `write the verdict: ${outcome}`,
    ]);
    expect(notes).toEqual([`scenario-1@peak: worse than the base commit, so re-measured against ${short}`]);
    expect(result.verdict.comparison).toMatchObject({
      kind: 'side-by-side',
      confirmed: { baseCommit: fork, cells: [{ name: 'scenario-1@peak', outcome: ofCell }] },
    });
  });

  it('fails if the second measurement does, because base and head worked before', async () => {
    let measurements = 0;
    const options: FakeCheckOptions = {
      figures: littleSlowerHead,
      forkPoint: fork,
      get bothFault() {
        measurements += 1;
        return measurements > 1 ? fakeFault('E_SERVICE_DIED') : undefined;
      },
    };
    await expect(run('side-by-side', options)).rejects.toMatchObject({ details: { code: 'E_SERVICE_DIED' } });
  });

  it('keeps the first measurement of a head that no longer answered, if the second one fails', async () => {
    let measurements = 0;
    const options: FakeCheckOptions = {
      figures: silentHead,
      forkPoint: fork,
      get bothFault() {
        measurements += 1;
        return measurements > 1 ? fakeFault('E_SERVICE_DIED') : undefined;
      },
    };
    const { result, notes } = await run('side-by-side', options);
    expect(result.verdict.outcome).toBe('invalid');
    expect(result.measured).not.toHaveProperty('again');
    const short = fork.slice(0, 8);
    expect(notes).toEqual([
      `scenario-0@peak: no request of a block succeeded, so re-measured against ${short}`,
      expect.stringMatching(
        new RegExp(`^${short} and the head could not be measured together: .*E_SERVICE_DIED`),
      ),
    ]);
  });

  it.each([
    ['git knows no fork point', {}, 'git cannot find where'],
    ['the head is its own fork point', { forkPoint: headCommit }, 'the default branch itself'],
  ])('needs a base if %s', async (_, options, cause) => {
    const failed = run('side-by-side', { figures, ...options });
    await expect(failed).rejects.toMatchObject({
      details: { code: 'E_BASE_REF', cause: expect.stringContaining(cause) },
    });
  });
});

describe('an automatic check', () => {
  it('ends after screening if no cell is suspect', async () => {
    const { result, steps, notes } = await run('auto', { figures: same, stored, history: [newestStored] });
    expect(steps).toEqual([
      'read the baseline',
      measureHead,
      'write the head run',
      'write the verdict: pass',
    ]);
    expect(result.measured).not.toHaveProperty('again');
    expect(notes).toEqual([]);
  });

  it.each([
    ['confirms a suspect cell', slowerHead, 'regression'],
    ['clears a suspect cell that the base commit shares', slower, 'coarse'],
  ])('%s', async (_, figures, outcome) => {
    const { result, steps, notes } = await run('auto', { figures, stored, history: [newestStored] });
    expect(steps).toEqual([
      'read the baseline',
      measureHead,
      'write the head run',
      `check out ${newestStored.slice(0, 8)}`,
      'measure base and head: scenario-1@peak',
      ...writeAgain,
      `write the verdict: ${outcome}`,
    ]);
    expect(notes).toEqual([
      `scenario-1@peak: worse than the stored baseline, so re-measured against ${newestStored.slice(0, 8)}`,
    ]);
    expect(result).toMatchObject({
      measured: { run: { id: 'run' }, again: { head: { id: 'run-confirmation' } } },
      stored: false,
    });
  });

  it('re-measures next to the newest stored commit, also if its times were left out', async () => {
    const noisy = runOfTps('noisy', 300, 300);
    const runs = [...stored, noisy];
    const commits = runs.map(({ code }) => code.commit);
    const { result, steps } = await run('auto', { figures: slowerHead, stored: runs, history: commits });
    expect(result.verdict.comparison).toMatchObject({ outlying: [{ runId: 'noisy' }] });
    expect(steps).toContain(`check out ${noisy.code.commit.slice(0, 8)}`);
  });

  it.each([
    ['it is confirmed', slowerHead, true],
    ['it is as good as cleared', (_: string, both: boolean) => (both ? same() : slower()), true],
    [
      'the second measurement is unsure too',
      (side: string, both: boolean) =>
        both && side === 'base' ? runOfTps('base', 500, 468) : littleSlower(),
      false,
    ],
    [
      'another is confirmed',
      (side: string, both: boolean) =>
        side === 'base' ? runOfTps('base', 500, both ? 468 : 500) : runOfTps('head', 200, 462),
      true,
    ],
  ])('takes no more rounds of a suspect cell once %s', async (_, figures, enough) => {
    const fake = await run('auto', { figures, stored, history: [newestStored] });
    expect(fake.enough).toHaveLength(2);
    expect(fake.enough[1]).toBe(enough);
  });

  it.each([
    [
      'fails the check',
      (side: string, both: boolean) => runOfTps(side, ...(both && side === 'base' ? [500, 500] : [200, 300])),
    ],
    [
      'is cleared',
      (side: string, both: boolean) =>
        runOfTps(side, ...(both ? [200, side === 'base' ? 500 : 300] : [200, 300])),
    ],
  ])(
    'measures the clearest of several suspects first, and the others unless it %s',
    async (what, figures) => {
      const { result, steps } = await run('auto', { figures, stored, history: [newestStored] });
      const fails = what === 'fails the check';
      const [first, other] = ['scenario-0@peak', 'scenario-1@peak'];
      expect(steps).toContain(`measure base and head: ${fails ? first : `${first}, then ${other}`}`);
      expect(result.verdict.outcome).toBe('regression');
      expect(result.verdict.comparison).toMatchObject({
        confirmed: fails
          ? { cells: [{ name: first, outcome: 'regression' }], spared: [other] }
          : {
              cells: [
                { name: first, outcome: 'coarse' },
                { name: other, outcome: 'regression' },
              ],
            },
      });
    },
  );

  describe('with profiles', () => {
    const profiles = (side: string): StackProfile => ({
      seconds: 10,
      sampledBy: 'cpu-time',
      frames: ['shop.Trips.list', 'shop.Plans.find'],
      cpu: {
        total: 500,
        stacks: [
          { frames: [0], weight: side === 'head' ? 400 : 500, count: 400 },
          ...(side === 'head' ? [{ frames: [0, 1], weight: 100, count: 100 }] : []),
        ],
      },
      locks: { total: 0, stacks: [] },
    });

    it('names the code of a cell that is confirmed', async () => {
      const { result, steps } = await run('auto', {
        figures: slowerHead,
        stored,
        history: [newestStored],
        profiles,
      });
      expect(steps.filter((step) => step.startsWith('write a profile'))).toEqual([
        'write a profile of scenario-1@peak: confirmation-base',
        'write a profile of scenario-1@peak: confirmation',
      ]);
      expect(result.verdict.codeChanges).toEqual([
        {
          scenario: 'scenario-1',
          load: 'peak',
          cpu: [{ frame: 'shop.Plans.find', caller: 'shop.Trips.list', base: 0, head: 0.2 }],
          locks: [],
        },
      ]);
    });

    it.each([
      ['of the worst alone if the same counts grew in both', false],
      ['of both, the worst first, if another count grew in one of them', true],
    ])('names the code of cells whose counts prove that they are dearer: %s', async (_, hasAnother) => {
      const { result, steps, notes } = await run('auto', {
        // In the second scenario they grew more.
        figures: (side) => {
          const both = withOneDearer(side, side === 'head' ? withStatements(same(), 4) : same());
          return hasAnother && side === 'head' ? withMoreBytes(both) : both;
        },
        stored,
        history: [newestStored],
        profiles,
      });
      const short = newestStored.slice(0, 8);
      expect(steps).toEqual([
        'read the baseline',
        measureHead,
        'write the head run',
        `check out ${short}`,
        'write a profile of scenario-1@peak: head',
        'write a profile of scenario-1@peak: head',
        ...(hasAnother ? Array(2).fill('write a profile of scenario-0@peak: head') : []),
        'write the head run',
        'write the verdict: regression',
      ]);
      expect(notes).toEqual(
        hasAnother
          ? [`scenario-1@peak, scenario-0@peak: proved by counts, so only profiled next to ${short}`]
          : [
              `scenario-1@peak: proved by counts, so only profiled next to ${short}`,
              'not profiled, because the same costs grew in a worse scenario: scenario-0@peak',
            ],
      );
      expect(result.measured).not.toHaveProperty('again');
      expect(result.verdict.codeChanges).toMatchObject(
        ['scenario-1', ...(hasAnother ? ['scenario-0'] : [])].map((scenario) => ({
          scenario,
          cpu: [{ frame: 'shop.Plans.find' }],
        })),
      );
    });

    it('neither checks out nor names a base where head cannot be profiled', async () => {
      const { result, steps, notes } = await run('auto', {
        figures: (side) => (side === 'head' ? withStatements(same(), 3) : same()),
        stored,
        history: [newestStored],
      });
      expect(result.verdict.outcome).toBe('regression');
      expect(steps).not.toContainEqual(expect.stringContaining('check out'));
      expect(notes).toEqual([]);
    });

    it('measures no base for counts that explain themselves', async () => {
      const dearer: FakeCheckOptions = {
        figures: (side) => (side === 'head' ? withStatements(same(), 3) : same()),
        stored,
        history: [newestStored],
        profiles,
      };
      const { steps } = await run('auto', dearer, undefined, ({ outcome }) => outcome === 'regression');
      expect(steps).toEqual([
        'read the baseline',
        measureHead,
        'write the head run',
        'write the verdict: regression',
      ]);
    });

    it('names the code of counted cells at the end of an interleaved measurement', async () => {
      const { steps } = await run('side-by-side', {
        figures: (side) => withOneDearer(side, same()),
        forkPoint: fork,
        profiles,
      });
      expect(steps.filter((step) => /^measure|profile/.test(step))).toEqual([
        measureBoth,
        'write a profile of scenario-0@peak: base',
        'write a profile of scenario-0@peak: head',
      ]);
    });

    it('profiles a suspect cell only after its second measurement', async () => {
      const { steps } = await run('side-by-side', { figures: littleSlowerHead, forkPoint: fork, profiles });
      expect(steps.filter((step) => /^measure|profile/.test(step))).toEqual([
        measureBoth,
        'measure base and head: scenario-1@peak',
        'write a profile of scenario-1@peak: confirmation-base',
        'write a profile of scenario-1@peak: confirmation',
      ]);
    });

    it('takes none of a head that no longer answers next to a base that does', async () => {
      const options = { figures: silentHead, stored, history: [newestStored], profiles };
      const { result, steps } = await run('auto', options);
      expect(steps).toContain('measure base and head: scenario-0@peak');
      expect(steps.filter((step) => step.startsWith('write a profile'))).toEqual([]);
      expect(result.verdict.outcome).toBe('regression');
    });

    it.each([
      ['that is cleared', slower],
      ['that was never suspect', same],
    ])('takes none of a cell %s', async (_, figures) => {
      const { result, steps } = await run('auto', { figures, stored, history: [newestStored], profiles });
      expect(steps.filter((step) => step.startsWith('write a profile'))).toEqual([]);
      expect(result.verdict).not.toHaveProperty('codeChanges');
    });
  });

  it.each([
    ['keeps the first measurement', () => runOfTps('head', 500, 470), 1],
    ['measures a clear suspect in all rounds', slower, 2],
  ])('%s, and notes why, if the base commit cannot be measured', async (_, figures, times) => {
    const bothFault = fakeFault('E_BUILD');
    const { result, notes, steps } = await run('auto', {
      figures,
      stored,
      history: [newestStored],
      bothFault,
    });
    expect(steps.filter((step) => step.startsWith('measure head'))).toHaveLength(times);
    expect(result.measured).not.toHaveProperty('again');
    expect(result.measured.run).not.toHaveProperty('endedEarly');
    expect(notes.at(-1)).toContain('could not be measured together');
  });

  it('confirms against a requested base instead of the stored commit', async () => {
    const { steps } = await run('auto', { figures: slower, stored, references: { main: named } }, 'main');
    expect(steps.slice(0, 2)).toEqual(['resolve main', 'read the baseline']);
    expect(steps).toContain('check out eeeeeeee');
  });

  it.each([
    ['is not in the history', {}, 'check out the whole history'],
    ['cannot be looked up', { historyFault: fakeFault('E_GIT') }, 'the test asked for it'],
  ])('leaves a suspect cell unconfirmed if the stored commit %s', async (_, options, why) => {
    const { result, notes } = await run('auto', { figures: slower, stored, ...options });
    expect(result.measured).not.toHaveProperty('again');
    expect(result.verdict.outcome).toBe('regression');
    expect(notes).toEqual([expect.stringContaining(`not re-measured against ${newestStored.slice(0, 8)}`)]);
    expect(notes[0]).toContain(why);
  });

  it('leaves a suspect cell unconfirmed if the stored runs name no commit', async () => {
    const nameless = stored.map((one) => ({ ...one, code: { ...one.code, commit: '' } }));
    const { result, notes } = await run('auto', { figures: slower, stored: nameless });
    expect(result.measured).not.toHaveProperty('again');
    expect(notes).toEqual([
      'the stored runs name no commit, so nothing can be re-measured against their code',
    ]);
  });

  it('does not hide a defect of git', async () => {
    const historyFault = new TypeError('a defect');
    await expect(run('auto', { figures: slower, stored, historyFault })).rejects.toBe(historyFault);
  });

  it('stops at a baseline that it cannot read', async () => {
    const corrupt = { kind: 'corrupt', place: 'baseline.json', cause: 'it is not JSON' } as const;
    await expect(run('auto', { figures: same, stored: corrupt })).rejects.toMatchObject({
      details: { code: 'E_BASELINE_CORRUPT', kind: 'usage', place: 'baseline.json' },
    });
  });

  it('stores the very first run where it may write', async () => {
    const { result } = await run('auto', { figures: same, mayWrite: true });
    expect(result).toMatchObject({ stored: true, verdict: { outcome: 'pass' } });
  });

  it('stores nothing where it may not write', async () => {
    const { result, appended } = await run('auto', { figures: same });
    expect(result).toMatchObject({ stored: false, verdict: { outcome: 'pass' } });
    expect(appended).toEqual([]);
  });

  it('stores no invalid first run', async () => {
    const { result, appended } = await run('auto', { figures: invalid, mayWrite: true });
    expect(result).toMatchObject({ stored: false, verdict: { outcome: 'invalid' } });
    expect(appended).toEqual([]);
  });
});

describe('an automatic check whose checkout makes the stored runs incomparable', () => {
  const feature = { commit: headCommit, branch: 'feature', dirty: false };
  const options: FakeCheckOptions = { figures: otherData, stored, code: feature, history: [newestStored] };
  const short = newestStored.slice(0, 8);

  it('measures both sides at once, before the head takes load alone', async () => {
    const { result, steps, notes } = await run('auto', options);
    expect(steps).toEqual([
      'read the baseline',
      'boot head without load',
      `check out ${short}`,
      measureBoth,
      ...writeBoth,
      'write the verdict: pass',
    ]);
    expect(result.verdict.comparison).toMatchObject({ kind: 'side-by-side', baseCommit: newestStored });
    expect(notes).toEqual([expect.stringContaining(`measured against ${short} from the start`)]);
  });

  it('never stores a run of another branch', async () => {
    const { result, appended } = await run('auto', { ...options, mayWrite: true });
    expect(result.stored).toBe(false);
    expect(appended).toEqual([]);
  });

  it('is undecided without a base commit, and notes why once', async () => {
    const { result, steps, notes } = await run('auto', { ...options, history: [] });
    expect(steps).toEqual([
      'read the baseline',
      measureHead,
      'write the head run',
      'write the verdict: undecided',
    ]);
    expect(result.verdict.comparison).toMatchObject({ kind: 'none', reason: 'not-comparable' });
    expect(notes).toEqual([expect.stringContaining(`not re-measured against ${short}`)]);
  });

  it.each([
    ['pass', otherData],
    ['regression', (side: string) => withData(side === 'head' ? slower() : same(), 'other data')],
  ] as const)(
    'does the same on the branch of the baseline, and stores nothing after a %s',
    async (outcome, figures) => {
      const { code: _, ...onMain } = options;
      const { result, steps, appended } = await run('auto', { ...onMain, figures, mayWrite: true });
      expect(steps.slice(1, 4)).toEqual(['boot head without load', `check out ${short}`, measureBoth]);
      expect(result).toMatchObject({ stored: false, verdict: { outcome } });
      expect(appended).toEqual([]);
    },
  );

  it('stores a run of the branch of the baseline that has no base commit to compare with', async () => {
    const { code: _, ...onMain } = options;
    const { result, appended } = await run('auto', { ...onMain, history: [], mayWrite: true });
    expect(result).toMatchObject({ stored: true, verdict: { outcome: 'undecided' } });
    expect(appended).toEqual([result.measured.run]);
  });
});

describe('an automatic check without a stored run to compare with', () => {
  const atFirst = ['read the baseline', 'boot head without load'];
  const feature = { commit: headCommit, branch: 'feature', dirty: false };

  it('measures the base commit next to the head on another machine', async () => {
    const { result, steps, notes } = await run('auto', {
      figures: otherMachine,
      stored,
      history: [newestStored],
    });
    expect(steps).toEqual([
      ...atFirst,
      `check out ${newestStored.slice(0, 8)}`,
      measureBoth,
      ...writeBoth,
      'write the verdict: pass',
    ]);
    expect(notes).toEqual([expect.stringContaining('no stored run of such a machine is comparable')]);
    expect(result.verdict.comparison).toMatchObject({ kind: 'side-by-side', stored: { outcome: null } });
  });

  it('finds a regression on another machine', async () => {
    const elsewhere = (side: string) => ({
      ...slowerHead(side),
      fingerprint: { ...same().fingerprint, cpuModel: 'another' },
    });
    const { result } = await run('auto', { figures: elsewhere, stored, history: [newestStored] });
    expect(result.verdict.outcome).toBe('regression');
  });

  it.each([
    ['the requested base', { references: { main: named } }, 'main', named],
    ['the fork point', { forkPoint: fork, code: feature }, undefined, fork],
  ])('judges the first pull request of a repository, against %s', async (_, options, base, commit) => {
    const { result, steps } = await run('auto', { figures: slowerHead, ...options }, base);
    expect(steps).toContain(`check out ${commit.slice(0, 8)}`);
    expect(result.verdict).toMatchObject({
      outcome: 'regression',
      comparison: { kind: 'side-by-side', baseCommit: commit },
    });
  });

  it('measures only the head, and notes why, if the base commit cannot be measured', async () => {
    const { result, steps, notes } = await run('auto', {
      figures: same,
      forkPoint: fork,
      code: feature,
      bothFault: fakeFault('E_COMPOSE_FILE'),
    });
    expect(steps.at(-3)).toBe(measureHead);
    expect(notes.at(-1)).toContain('E_COMPOSE_FILE');
    expect(result.verdict.comparison).toMatchObject({ kind: 'none', reason: 'no-baseline' });
  });

  it('measures only the head where git knows no base either', async () => {
    const { result, steps } = await run('auto', { figures: same });
    expect(steps).toEqual([
      'read the baseline',
      measureHead,
      'write the head run',
      'write the verdict: pass',
    ]);
    expect(result.verdict.comparison).toMatchObject({ kind: 'none', reason: 'no-baseline' });
  });
});

it.each<[CheckPlan['mode'], FakeCheckOptions]>([
  ['auto', { figures: slowerHead, stored, history: [newestStored] }],
  ['side-by-side', { figures: littleSlowerHead, forkPoint: fork }],
])('the publishing side judges the figures of an %s check to the same verdict', async (mode, options) => {
  const { measured, verdict } = (await run(mode, options)).result;
  expect(measured).toHaveProperty('again');
  const when = { createdAt: new Date(verdict.createdAt), seconds: verdict.seconds };
  expect(judgeSuite(config, suite, measured, when)).toEqual(verdict);
});

it('compares with pinned runs that can be read, and goes on with a warning where they cannot', async () => {
  const pin = { schema: 1 as const, name: 'v1', pinnedAt: '2026-01-01T00:00:00.000Z' };
  const creeping: FakeCheckOptions = {
    figures: slower,
    stored: ['one', 'two'].map((id) => ({ ...slower(), id })),
  };
  const found = await run('stored', {
    ...creeping,
    readPins: async () => [{ ...pin, run: { ...same(), id: 'release' } }],
  });
  expect(found.result.verdict.since?.map(({ release }) => release)).toContain('v1');
  const unread = await run('stored', {
    ...creeping,
    readPins: async () => {
      throw fakeFault('E_BASELINE_CORRUPT');
    },
  });
  expect(unread.result.verdict).not.toHaveProperty('since');
  expect(unread.notes.join()).toMatch(/warning: not compared with pinned runs: E_BASELINE_CORRUPT/);
});

describe('a measurement that ends before its time', () => {
  const died = fakeFault('E_SERVICE_EXIT');
  /** The second cell was cut short. */
  const standing = (): Run => {
    const run = same();
    const reason = { code: 'I_CUT_SHORT', cause: 'the load ended early', nextStep: 'run again' };
    const cells = run.cells.map((cell, index) => ({
      ...cell,
      blocks: cell.blocks.map((block) => (index === 1 ? { ...block, invalid: [reason] } : block)),
    }));
    return { ...run, cells };
  };

  it('is judged as far as it came, is not stored, and still fails', async () => {
    const { result, steps, appended } = await run('record', {
      figures: standing,
      stored,
      cutShort: died,
      mayWrite: true,
    });
    expect(result.cutShort).toEqual({ cause: died });
    expect(result.verdict.cells.map(({ outcome }) => outcome)).toEqual(['pass', 'invalid']);
    expect(steps.slice(-2)).toEqual(['write the head run', 'write the verdict: invalid']);
    expect(appended).toEqual([]);
  });

  it('compares nothing where nothing was to be compared', async () => {
    const { result } = await run('none', { figures: standing, stored, cutShort: died });
    expect(result.verdict.comparison).toMatchObject({ kind: 'none', reason: 'not-asked' });
    expect(result.cutShort).toEqual({ cause: died });
  });
});
