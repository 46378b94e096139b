import { describe, expect, it, vi } from 'vitest';
import { config, input, simulated, stack } from '../../test/fakes/simulated-service.ts';
import { configSchema } from '../model/config.ts';
import { Fault } from '../model/fault.ts';
import type { CellProfile } from '../model/profile.ts';
import { type Run, runSchema } from '../model/run.ts';
import type { LoadSeries } from '../model/series.ts';
import type { BlockTools } from './block.ts';
import type { MeasureOptions, Side } from './context.ts';
import { measureSides } from './measure-sides.ts';
import { planSuite } from './plan.ts';
import type { BootedService, LoadResult, LoadSpec, Progress, Stack } from './ports.ts';
import { cellsForProfile } from './profile-sides.ts';

function measure(
  tools: BlockTools,
  stackOfHead: Stack,
  progress: Progress[] = [],
  more: Partial<
    Pick<
      MeasureOptions,
      'isWorthLoad' | 'isEnough' | 'sparesOthers' | 'onCutShort' | 'toProfile' | 'nextTo' | 'plan'
    >
  > = {},
  names: readonly Side['name'][] = ['head'],
  series: LoadSeries[] = [],
  profiles: CellProfile[] = [],
) {
  const sides = names.map((name) => sideOf(name, stackOfHead, series, profiles));
  const options = {
    config,
    configDirectory: '/perf',
    plan: planSuite(config, 'pr', 'gate.yml'),
    loadHash: '',
    onProgress: (event: Progress) => progress.push(event),
    ...more,
  };
  return measureSides(tools, sides, options, new AbortController().signal);
}

function sideOf(
  name: Side['name'],
  itsStack: Stack,
  series: LoadSeries[] = [],
  profiles: CellProfile[] = [],
): Side {
  return {
    name,
    id: 'run-1',
    stack: itsStack,
    code: { commit: 'a'.repeat(40), branch: 'main', dirty: false },
    keepSeries: async (one) => void series.push(one),
    keepProfile: async (one) => void profiles.push(one),
  };
}

describe('measureSides', () => {
  it('runs what the script says, and keeps which of its options the load replaced', async () => {
    const tools = simulated();
    const specs: LoadSpec[] = [];
    const progress: Progress[] = [];
    const replaced = ['options.scenarios.buy (constant-vus)', 'x'.repeat(300)];
    const generator: BlockTools['generator'] = {
      ...tools.generator,
      check: async () => ({
        exec: 'buy',
        env: { KIND: 'a buyer' },
        replaced,
        hash: '',
        abortsEarly: true,
      }),
      start: (spec, ...rest) => {
        specs.push(spec);
        return tools.generator.start(spec, ...rest);
      },
    };
    const [run] = await measure({ ...tools, generator }, stack, progress);
    expect(specs.length).toBeGreaterThan(2);
    for (const spec of specs) expect(spec).toMatchObject({ exec: 'buy', env: { KIND: 'a buyer' } });
    // Its thresholds would end a block early.
    expect(specs.some(({ thresholds }) => thresholds)).toBe(false);
    const aborting = 'browse: options.thresholds (abortOnFail)';
    expect(run?.replacedOptions).toEqual([`browse: ${replaced[0]}`, `browse: ${'x'.repeat(192)}`, aborting]);
    expect(() => runSchema.parse(run)).not.toThrow();
    expect(progress).toContainEqual({
      kind: 'note',
      text: 'browse: thresholds of the script are left out, because abortOnFail would end a block early',
    });
    const text = `browse: ${replaced[0]} of the script is replaced by the load of gate.yml`;
    expect(progress).toContainEqual({ kind: 'note', text });
  });

  it('reports what went wrong first, even if the stack then does not stop', async () => {
    const progress: Progress[] = [];
    const up = () => Promise.reject(new Error('the disk is full'));
    const down = () => Promise.reject(new Error('the engine is gone'));
    await expect(measure(simulated(), { ...stack, up, down }, progress)).rejects.toThrow('the disk is full');
    expect(progress).toContainEqual({ kind: 'note', text: expect.stringContaining('the engine is gone') });
  });

  it('fails where the stack does not go down after all went well', async () => {
    const down = () => Promise.reject(new Error('the engine is gone'));
    await expect(measure(simulated(), { ...stack, down })).rejects.toThrow('the engine is gone');
  });

  it('takes the stack down, without load, if what it booted is not worth it', async () => {
    const tools = simulated();
    const asked: unknown[] = [];
    let isDown = false;
    const runs = await measure(
      {
        ...tools,
        generator: { ...tools.generator, start: () => expect.fail('load was put on it') },
        metrics: { scrape: async () => [{ name: 'jvm_info', labels: { version: '25.0.3' }, value: 1 }] },
      },
      {
        ...stack,
        down: async () => {
          isDown = true;
        },
      },
      [],
      {
        isWorthLoad: async (fingerprint) => {
          asked.push(fingerprint);
          return false;
        },
      },
    );
    expect(runs).toEqual([]);
    expect(isDown).toBe(true);
    expect(asked).toEqual([
      {
        ...tools.machine.describe(),
        stack: 'process',
        k6: '2.2.0',
        versions: { jdk: '25.0.3' },
        dataKey: '',
        loadHash: '',
      },
    ]);
  });

  it('says of a service that did not settle that its compiler was busy, if it was', async () => {
    let compiledMs = 0;
    const tools = simulated();
    const busy = {
      scrape: async () => [{ name: 'jvm_compilation_time_ms_total', labels: {}, value: compiledMs }],
    };
    const { start } = tools.generator;
    const [run] = await measure(
      {
        ...tools,
        metrics: busy,
        generator: {
          ...tools.generator,
          start: (...load) => {
            compiledMs += 4000;
            void tools.clock.wait(5000, new AbortController().signal);
            return start(...load);
          },
        },
      },
      stack,
    );
    expect(run?.cells).toEqual([]);
    expect(run?.invalid).toEqual([
      {
        code: 'I_WARM_UP',
        cause:
          'the service had not settled after 301 s of warm-up: the JIT still compiled for 571 ms per second, above the limit of 250',
        nextStep: expect.stringContaining('warmUp.cap'),
      },
    ]);
  });

  it("knows the runtime's version also where the metrics hang once there was load", async () => {
    const tools = simulated();
    let loaded = false;
    const { start } = tools.generator;
    const [run] = await measure(
      {
        ...tools,
        generator: {
          ...tools.generator,
          start: (...load) => {
            loaded = true;
            return start(...load);
          },
        },
        metrics: {
          scrape: async () => (loaded ? [] : [{ name: 'jvm_info', labels: { version: '25.0.3' }, value: 1 }]),
        },
      },
      stack,
    );
    expect(run?.fingerprint.versions).toEqual({ jdk: '25.0.3' });
    expect(run?.cells.map(({ blocks }) => blocks.length)).toEqual([2]);
  });

  interface Blocks {
    /** Whether the nth load of the blocks fails; the first has number 1. */
    readonly fails?: (load: number) => boolean;
    /** Share of the CPU that the host takes from the nth load. */
    readonly stolen?: (load: number) => number;
    readonly sides?: readonly Side['name'][];
    readonly more?: Partial<Pick<MeasureOptions, 'plan' | 'isEnough' | 'sparesOthers'>>;
  }

  async function measureBlocks({
    fails = () => false,
    stolen = () => 0,
    sides = ['head'],
    more = {},
  }: Blocks) {
    const tools = simulated();
    const { start } = tools.generator;
    const progress: Progress[] = [];
    let loads = 0;
    let stolenSeconds = 0;
    let readAtMs = 0;
    let running: (PromiseWithResolvers<LoadResult> & { readonly untilMs: number }) | undefined;
    const isLoading = () => progress.some((event) => event.kind === 'phase' && event.phase === 'load');
    const [run] = await measure(
      {
        ...tools,
        clock: {
          ...tools.clock,
          wait: async (ms, signal) => {
            await tools.clock.wait(ms, signal);
            if (running !== undefined && tools.clock.monotonicMs() >= running.untilMs) {
              running.resolve({ end: { kind: 'finished' }, exceptions: 0, errors: [] });
            }
          },
        },
        machine: {
          ...tools.machine,
          read: () => {
            const atMs = tools.clock.monotonicMs();
            stolenSeconds += (stolen(loads) * 2 * (atMs - readAtMs)) / 1000;
            readAtMs = atMs;
            return {
              totalSeconds: (2 * atMs) / 1000,
              busySeconds: 0,
              ioWaitSeconds: 0,
              stolenSeconds,
              load: 0,
            };
          },
        },
        generator: {
          ...tools.generator,
          start: (spec, sink, signal) => {
            if (!isLoading()) return start(spec, sink, signal);
            loads += 1;
            const atMs = tools.clock.monotonicMs();
            sink.request('page', atMs + 5, 5, fails(loads), 0);
            running = { untilMs: atMs + 1_000, ...Promise.withResolvers<LoadResult>() };
            return { pids: [1], done: running.promise };
          },
        },
      },
      stack,
      progress,
      more,
      sides,
    );
    const notes = progress.flatMap((event) => (event.kind === 'note' ? [event.text] : []));
    return { run, notes, progress };
  }

  it('says when and why it stopped before all blocks were taken', async () => {
    const { run, notes } = await measureBlocks({ fails: (load) => load === 1 });
    expect(notes.at(-1)).toBe('stopped in round 1 of 2: browse@few: all 1 requests failed');
    expect(run?.cells[0]?.blocks.map(({ invalid }) => invalid.map(({ code }) => code))).toEqual([
      ['I_ALL_FAILED', 'I_STOPPED'],
    ]);
    expect(run?.cells[0]?.blocks[0]?.invalid[1]?.cause).toContain('stopped in round 1 of 2');
  });

  it('did not stop early if the last block is broken', async () => {
    const { run, notes } = await measureBlocks({ fails: (load) => load === 2 });
    expect(notes.filter((text) => text.startsWith('stopped'))).toEqual([]);
    expect(run?.cells[0]?.blocks.map(({ invalid }) => invalid.map(({ code }) => code))).toEqual([
      [],
      ['I_ALL_FAILED'],
    ]);
  });

  it('measures to the end on a machine that is never left alone, and says which blocks are left out', async () => {
    const { run, notes } = await measureBlocks({ stolen: () => 0.5 });
    const cause = 'other guests of the host took 50% of the CPU, above the limit of 30%';
    expect(notes.filter((text) => text.includes('browse@few'))).toEqual([
      `browse@few will be repeated after this round: ${cause}`,
      `browse@few is left out, because no time for repeats is left: ${cause}`,
      `browse@few is left out, because no time for repeats is left: ${cause}`,
    ]);
    expect(
      run?.cells[0]?.blocks.map(({ round, invalid }) => [round, invalid.map(({ code }) => code)]),
    ).toEqual([0, 1].map((round) => [round, ['I_STEAL']]));
  });

  describe('with a cell that comes first', () => {
    const usual = planSuite(config, 'pr', 'gate.yml');
    const plan = {
      ...usual,
      cells: usual.cells.flatMap((cell) => [cell, { ...cell, load: 'many' }]),
      first: 'browse@many',
    };
    const blocksOf = (run: Run | undefined) =>
      run?.cells.map(({ load, blocks }) => [load, blocks.flatMap(({ invalid }) => invalid).length]);

    it.each([
      [true, [['many', 0]]],
      [
        false,
        [
          ['few', 0],
          ['many', 0],
        ],
      ],
    ])('leaves out the others if that spares them (%s)', async (spares, cells) => {
      const asked: unknown[] = [];
      const sparesOthers = (runs: readonly Run[]) => {
        asked.push(runs.map(blocksOf));
        return spares;
      };
      const { run, notes } = await measureBlocks({ more: { plan, sparesOthers } });
      expect(asked).toEqual([[[['many', 0]]]]);
      expect(blocksOf(run)).toEqual(cells);
      const note = 'the others are not measured, because one regression is enough';
      expect(notes.includes(note)).toBe(spares);
    });

    it('expects no more time for rounds that it does not need', async () => {
      const longer = { ...plan, cells: plan.cells.map((cell) => ({ ...cell, rounds: 4 })), rounds: 4 };
      const { progress, run } = await measureBlocks({
        more: {
          plan: { ...longer, loadSeconds: 4 * plan.loadSeconds },
          isEnough: ([soFar]) => soFar?.cells.length === 1,
        },
      });
      expect(run?.cells.map(({ load, blocks }) => [load, blocks.length])).toEqual([
        ['few', 4],
        ['many', 2],
      ]);
      expect(progress.filter(({ kind }) => kind === 'live').at(-1)).toMatchObject({ done: 1 });
    });

    it('measures the others although its load broke', async () => {
      const { run } = await measureBlocks({
        fails: (load) => load === 1,
        more: { plan, sparesOthers: () => false },
      });
      expect(run?.cells.map(({ load, blocks }) => [load, blocks.length])).toEqual([
        ['few', 2],
        ['many', 1],
      ]);
    });
  });

  it('says that the other side is repeated too', async () => {
    const { notes, run } = await measureBlocks({
      stolen: (load) => (load === 2 ? 0.5 : 0),
      sides: ['base', 'head'],
    });
    expect(notes.filter((text) => text.includes('browse@few'))).toEqual([
      expect.stringMatching(
        /^head browse@few will be repeated after this round, together with base: other guests/,
      ),
    ]);
    expect(run?.cells[0]?.blocks.map(({ round, invalid }) => [round, invalid])).toEqual([
      [0, []],
      [1, []],
    ]);
  });

  it('shows that a block is starting, until it has counted for a second', async () => {
    const { progress } = await measureBlocks({});
    const live = progress.flatMap((event) => (event.kind === 'live' ? [event.figures?.tps] : []));
    expect(live).toEqual([undefined, 1, undefined, 1]);
  });

  const idle = {
    seconds: 10,
    sampledBy: 'cpu-time' as const,
    frames: [],
    cpu: { total: 0, stacks: [] },
    locks: { total: 0, stacks: [] },
  };

  /** Address of a service that never stops compiling. */
  const restless = 'http://127.0.0.1:2';

  interface ProfiledOptions {
    readonly done?: LoadResult['end'];
    readonly failure?: Promise<never>;
    /** Base, if head is measured alone and only profiled next to it. */
    readonly partner?: Stack;
    /** What checking out the partner's commit ends with. */
    readonly checkOutFault?: Fault;
  }

  /** Measures both sides, whose services have those profilers, and profiles the only cell. */
  async function profiled(
    profilers: Readonly<Record<Side['name'], BootedService['profiler']>>,
    { done, failure = new Promise(() => undefined), partner, checkOutFault }: ProfiledOptions = {},
  ) {
    const tools = simulated();
    const { start } = tools.generator;
    const profiles: CellProfile[] = [];
    const loads: LoadSpec[] = [];
    const progress: Progress[] = [];
    const names: Side['name'][] = partner === undefined ? ['base', 'head'] : ['head'];
    const booted = [...names, 'base' as const];
    const withProfiler = (own: Stack): Stack => ({
      ...own,
      boot: async (signal) => {
        const { profiler: _, ...service } = await own.boot(signal);
        const profiler = profilers[booted.shift() ?? 'base'];
        return { ...service, failure, ...(profiler === undefined ? {} : { profiler }) };
      },
    });
    let compiledMs = 0;
    const metrics: BlockTools['metrics'] = {
      scrape: async () => [{ name: 'jvm_compilation_time_ms_total', labels: {}, value: compiledMs }],
    };
    const isProfiling = () => progress.some((event) => event.kind === 'phase' && event.phase === 'profile');
    const generator: BlockTools['generator'] = {
      ...tools.generator,
      start: (spec, sink, signal) => {
        if (spec.env.BASE_URL === restless) {
          compiledMs += 4000;
          void tools.clock.wait(5000, signal);
        }
        if (!isProfiling()) return start(spec, sink, signal);
        loads.push(spec);
        const end = done ?? { kind: 'finished' };
        if (done === undefined) sink.request('page', tools.clock.monotonicMs() + 5, 5, false, 0);
        return { pids: [1], done: Promise.resolve({ end, exceptions: 0, errors: [] }) };
      },
    };
    const cells = ['browse@few'];
    const runs = await measure(
      { ...tools, generator, metrics },
      withProfiler(stack),
      progress,
      partner === undefined
        ? { toProfile: () => cells }
        : {
            nextTo: async () => ({
              cells,
              side: async () => {
                if (checkOutFault !== undefined) throw checkOutFault;
                return sideOf('base', withProfiler(partner), [], profiles);
              },
            }),
          },
      names,
      [],
      profiles,
    );
    const notes = progress.flatMap((event) => (event.kind === 'note' ? [event.text] : []));
    return {
      runs,
      loads,
      notes,
      sides: profiles.map(({ side, scenario, load }) => `${side} ${scenario}@${load}`),
    };
  }

  it('profiles both sides under a steady load, once all blocks are taken', async () => {
    const profile = async () => idle;
    const { runs, loads, sides } = await profiled({ base: { profile }, head: { profile } });
    expect(sides).toEqual(['base browse@few', 'head browse@few']);
    expect(runs.map(({ cells }) => cells[0]?.blocks.length)).toEqual([2, 2]);
    expect(runs.map(({ phases }) => phases.at(-2)?.phase)).toEqual(['profile', 'profile']);
    expect(loads.map(({ stages }) => stages)).toEqual([steady, steady]);
  });

  it('profiles a side that was measured alone next to its partner, which takes no block', async () => {
    const profile = async () => idle;
    const both = { base: { profile }, head: { profile } };
    const { runs, sides, loads } = await profiled(both, { partner: stack });
    expect(sides).toEqual(['base browse@few', 'head browse@few']);
    expect(loads.map(({ stages }) => stages)).toEqual([steady, steady]);
    expect(runs.map(({ cells }) => cells[0]?.blocks.length)).toEqual([2]);
  });

  it('needs no partner for a side that cannot be profiled', async () => {
    const { runs, notes } = await profiled(
      { base: undefined, head: { unavailable: 'the service runs on no JVM' } },
      { partner: { ...stack, prepare: () => expect.fail('it is not needed') } },
    );
    expect(notes.at(-1)).toBe('nothing was profiled: head: the service runs on no JVM');
    expect(runs).toHaveLength(1);
  });

  const fault = new Fault({
    code: 'E_BOOT',
    kind: 'measurement',
    place: 'base',
    cause: 'it exited',
    nextStep: '',
  });

  it.each<[string, Partial<Stack>, string, number]>([
    ['does not boot', { boot: () => Promise.reject(fault) }, 'nothing was profiled: it exited (E_BOOT)', 0],
    [
      'does not settle',
      { boot: async (signal) => ({ ...(await stack.boot(signal)), url: restless }) },
      'nothing was profiled: base had not settled after its warm-up',
      0,
    ],
    ['does not stop', { down: () => Promise.reject(fault) }, `the stack could not be stopped: ${fault}`, 2],
  ])('keeps the run of a side whose partner %s, and stops the partner', async (_, broken, note, profiles) => {
    const profile = async () => idle;
    const partner = { ...stack, ...broken };
    const down = vi.spyOn(partner, 'down');
    const { runs, notes, sides } = await profiled({ base: { profile }, head: { profile } }, { partner });
    expect(runs.map(({ cells }) => cells[0]?.blocks.length)).toEqual([2]);
    expect(notes.at(-1)).toBe(note);
    expect(sides).toHaveLength(profiles);
    expect(down).toHaveBeenCalledOnce();
  });

  it('keeps the run of a side whose partner cannot be checked out', async () => {
    const profile = async () => idle;
    const checkOutFault = new Fault({
      ...fault.details,
      code: 'E_BASE_REF',
      cause: 'git has no such commit',
    });
    const { runs, notes, sides } = await profiled(
      { base: { profile }, head: { profile } },
      { partner: stack, checkOutFault },
    );
    expect(runs.map(({ cells }) => cells[0]?.blocks.length)).toEqual([2]);
    expect(notes.at(-1)).toBe('nothing was profiled: git has no such commit (E_BASE_REF)');
    expect(sides).toEqual([]);
  });

  const steady = [
    { seconds: 0, vus: 1 },
    { seconds: 2, vus: 2 },
    { seconds: 13, vus: 2 },
  ];

  it.each([
    ['no profiler', undefined, /^nothing was profiled: head: this stack has no profiler$/],
    [
      'no JVM',
      { unavailable: 'the service runs on no JVM' },
      /^nothing was profiled: head: the service runs/,
    ],
  ])('puts no load on sides of which one has %s, and says so', async (_, head, text) => {
    const { loads, notes, sides } = await profiled({ base: { profile: async () => idle }, head });
    expect({ loads, sides }).toEqual({ loads: [], sides: [] });
    expect(notes).toContainEqual(expect.stringMatching(text));
  });

  it('keeps its runs, and no profile, if one of the sides could not be profiled', async () => {
    const details = { code: 'E_PROFILE', kind: 'measurement', place: 'jcmd', nextStep: '' } as const;
    const profile = () => Promise.reject(new Fault({ ...details, cause: 'the JVM does not answer' }));
    const { runs, notes, sides } = await profiled({ base: { profile: async () => idle }, head: { profile } });
    expect(sides).toEqual([]);
    expect(notes).toContain('browse@few was not profiled: the JVM does not answer (E_PROFILE)');
    expect(runs).toHaveLength(2);
  });

  it('keeps its runs if a service dies under the load for a profile', async () => {
    const details = { code: 'E_SERVICE_DIED', kind: 'measurement', place: 'service', nextStep: '' } as const;
    const { promise: failure, reject } = Promise.withResolvers<never>();
    failure.catch(() => undefined);
    const profile = (_: number, signal: AbortSignal) =>
      new Promise<never>((__, end) => {
        signal.addEventListener('abort', () => end(signal.reason), { once: true });
        reject(new Fault({ ...details, cause: 'the service ended' }));
      });
    const { runs, notes, sides } = await profiled({ base: { profile }, head: { profile } }, { failure });
    expect(sides).toEqual([]);
    expect(notes).toContain('no more is profiled: the service ended (E_SERVICE_DIED)');
    expect(runs.map(({ cells }) => cells[0]?.blocks.length)).toEqual([2, 2]);
  });

  it('keeps its runs if the load for a profile sends nothing', async () => {
    const failed = { kind: 'failed', exitCode: 107, signal: null, meaning: 'syntax error' } as const;
    const profile = () => expect.fail('nothing is profiled without load');
    const { runs, notes } = await profiled({ base: { profile }, head: { profile } }, { done: failed });
    expect(notes).toContainEqual(expect.stringContaining('sent no request (E_PROFILE_LOAD)'));
    expect(runs).toHaveLength(2);
  });
});

describe('the cells to profile', () => {
  it('are those with the highest load of their scenario, in the order of the names', () => {
    const loads = { few: { vus: 2 }, many: { vus: 20 }, steady: { arrival: { rate: 5, per: '1s', vus: 9 } } };
    const plan = planSuite(
      configSchema.parse({
        ...input,
        scenarios: { browse: { script: 'browse.js', loads }, buy: { script: 'buy.js', loads } },
        suites: {
          pr: { cells: ['browse@few', 'browse@many', 'buy@steady', 'buy@few'], rounds: 2, counted: '1s' },
        },
      }),
      'pr',
      'gate.yml',
    );
    const chosen = (...names: string[]) => cellsForProfile(plan, names).map(({ load }) => load);
    expect(chosen('browse@few', 'browse@many', 'buy@steady')).toEqual(['many', 'steady']);
    expect(chosen('buy@steady', 'browse@few', 'browse@many')).toEqual(['steady', 'many']);
    expect(cellsForProfile(plan, [])).toEqual([]);
  });
});

describe('an unbroken plan', () => {
  const suites = {
    pr: { cells: ['browse@few', 'browse@more'], rounds: 2, guard: '0s', counted: '5s', unbroken: true },
  };
  const scenarios = { browse: { script: 'browse.js', loads: { few: { vus: 2 }, more: { vus: 3 } } } };
  const plan = planSuite(configSchema.parse({ ...input, scenarios, suites }), 'pr', 'gate.yml');

  it('loads each cell once, and keeps one series of it', async () => {
    const series: LoadSeries[] = [];
    const [run] = await measure(simulated(), stack, [], { plan }, ['head'], series);
    expect(run?.cells.map(({ load, blocks }) => [load, blocks.length])).toEqual([
      ['few', 1],
      ['more', 0],
    ]);
    // The fake load ends at once, so the first cell is broken and the second one is not loaded.
    const blocks = series.filter((one) => one.phase === 'block');
    expect(blocks.map(({ load, round, countedSeconds }) => [load, round, countedSeconds])).toEqual([
      ['few', 0, 10],
    ]);
  });

  it('hands over what was measured if the service dies, and then stops', async () => {
    const tools = simulated();
    const died = new Fault({
      code: 'E_SERVICE_EXIT',
      kind: 'measurement',
      place: '',
      cause: 'it died',
      nextStep: '',
    });
    const failure = Promise.withResolvers<never>();
    failure.promise.catch(() => undefined);
    let loads = 0;
    let isDown = false;
    const standing: Run[] = [];
    const never = new Promise<LoadResult>(() => undefined);
    const generator: BlockTools['generator'] = {
      ...tools.generator,
      start: (spec, sink, signal) => {
        const load = tools.generator.start(spec, sink, signal);
        if (spec.stages.reduce((sum, { seconds }) => sum + seconds, 0) < 10) return load;
        loads += 1;
        for (let at = 0; at < 10_000; at += 500) {
          sink.request('page', tools.clock.monotonicMs() + at + 5, 5, false, 0);
        }
        if (loads === 2) return { ...load, done: never };
        return { ...load, done: tools.clock.wait(0, signal).then(() => untilTime(11_000)) };
      },
    };
    const untilTime = async (ms: number): Promise<LoadResult> => {
      const from = tools.clock.monotonicMs();
      while (tools.clock.monotonicMs() - from < ms - 1_000) await new Promise((next) => setImmediate(next));
      return { end: { kind: 'finished' }, exceptions: 0, errors: [] };
    };
    const clock: BlockTools['clock'] = {
      ...tools.clock,
      wait: async (ms, signal) => {
        signal.throwIfAborted();
        await tools.clock.wait(ms, signal);
        if (loads === 2) failure.reject(died);
        await new Promise((next) => setImmediate(next));
      },
    };
    const dying: Stack = {
      ...stack,
      boot: async (signal) => ({ ...(await stack.boot(signal)), failure: failure.promise }),
      down: async () => {
        isDown = true;
      },
    };
    await expect(
      measure({ ...tools, clock, generator }, dying, [], { plan, onCutShort: (run) => standing.push(run) }),
    ).rejects.toBe(died);
    expect(isDown).toBe(true);
    const [run] = standing;
    expect(() => runSchema.parse(run)).not.toThrow();
    expect(run?.cells[0]?.blocks.map(({ invalid }) => invalid)).toEqual([[], []]);
    expect(run?.cells[1]?.blocks.at(-1)?.invalid[0]).toMatchObject({ code: 'I_CUT_SHORT' });
  });
});
