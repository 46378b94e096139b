import type { Block, Cell, EndpointBlock, Interleaved, Run } from '../../model/run.ts';
import { drawNormal, type Random } from '../../stats/index.ts';
import { type Effect, withEffect } from '../effects.ts';
import { roundsOfCheck, roundsOfConfirmation } from '../rules/own.ts';
import type { Trial } from '../trial.ts';
import { drawStudent, Machine, type World } from './world.ts';

/** Rounds that rules measure which interleave from the start. */
export const roundsBeside = 7;

interface Service {
  readonly scenario: string;
  readonly load: string;
  readonly vus: number;
  /** Requests per second on a machine of usual speed. */
  readonly tps: number;
}

/** Two scenarios under two loads each, with the names that the configuration knows. */
const services: readonly Service[] = [
  { scenario: 'trip-edit', load: 'average', vus: 130, tps: 1600 },
  { scenario: 'trip-edit', load: 'peak', vus: 510, tps: 1700 },
  { scenario: 'trip-browse', load: 'average', vus: 5, tps: 1200 },
  { scenario: 'trip-browse', load: 'peak', vus: 20, tps: 1300 },
];
/** Names of the simulated cells. */
export const simulatedCells: readonly string[] = services.map(({ scenario, load }) => `${scenario}@${load}`);

const cores = 2;
/** CPU shares of the parts on two cores that are nearly busy. */
const shares = { generator: 0.26, service: 0.48, backing: 0.18 } as const;
type Part = keyof typeof shares;
/** How much of a slow machine, and of a neighbour, each part notices. */
const notices: Readonly<Record<Part, { readonly slow: number; readonly neighbour: number }>> = {
  generator: { slow: 0.95, neighbour: 1.1 },
  service: { slow: 1, neighbour: 0.9 },
  backing: { slow: 1.05, neighbour: 1 },
};
const partSd = 0.03;
const countedSeconds = 5;

/** What a boot brings to a side. */
interface Boot {
  /** By cell, as logs: time per request and CPU time of the service. */
  readonly cells: readonly { readonly time: number; readonly cpu: number }[];
  /** What its JVM still has to lose, as a log in the first round. */
  readonly cold: number;
  readonly generator: number;
}

/** What a change does to the CPU time of the generator, as a log; the same in all boots of its head. */
function drawMoved(random: Random, { movedYardstick }: World): number {
  return random() < 0.5 ? -movedYardstick : movedYardstick;
}

/** `moved` is head's; base has none. */
function drawBoot(random: Random, { boot, halfWarm }: World, moved?: number): Boot {
  // Boots have tails too: now and then the JIT settles on something bad.
  const cells = services.map(() => {
    const luck = boot * drawStudent(random, 4);
    return { time: luck, cpu: 0.7 * luck + 0.3 * boot * drawNormal(random) };
  });
  return { cells, cold: moved === undefined ? 0 : halfWarm * random(), generator: moved ?? 0 };
}

/** One block of a cell. */
function drawBlock(
  random: Random,
  world: World,
  boot: Boot,
  cell: number,
  round: number,
  moment: ReturnType<Machine['next']>,
): Block {
  const service = services[cell] ?? services[0];
  if (service === undefined) throw new Error('there is no simulated cell');
  const own = boot.cells[cell] ?? { time: 0, cpu: 0 };
  const cold = boot.cold * 0.5 ** round;
  // A fast machine gets further through the pass in a block, to other requests: cheaper ones, with fewer statements.
  const further = -world.mix * moment.slow;
  const slow = (part: Part) => notices[part].slow * moment.slow + notices[part].neighbour * moment.neighbour;
  const cpu: Record<Part, number> = {
    generator: slow('generator') + boot.generator + partSd * drawNormal(random),
    service: slow('service') + own.cpu + cold - 0.2 * further + partSd * drawNormal(random),
    backing: slow('backing') - 0.1 * further + partSd * drawNormal(random),
  };
  const together = moment.slow + moment.neighbour;
  const block = world.block;
  const common = drawStudent(random, block.df);
  const time = together + own.time + cold - 0.2 * further + block.tps * common;
  const tps = service.tps * Math.exp(-time);
  const meanMs = (1000 * service.vus) / tps;
  const p95Ms = 1.9 * meanMs * Math.exp(block.p95 * drawStudent(random, block.df));
  const latency = {
    meanMs,
    p50Ms: 0.9 * meanMs,
    p90Ms: 0.9 * p95Ms,
    p95Ms,
    p99Ms: 1.4 * p95Ms,
    maxMs: 2 * p95Ms,
  };
  const requests = Math.round(tps * countedSeconds);
  const share = (part: Part) => shares[part] * Math.exp(cpu[part]) * (tps / service.tps);
  return {
    round,
    startedAt: '2026-01-01T00:00:00.000Z',
    countedSeconds,
    requests,
    errors: 0,
    iterations: Math.round(requests / 8),
    tps,
    latency,
    endpoints: world.mix === 0 ? [] : mixOf(requests, further, latency),
    usage: {
      generator: { cpuShare: share('generator'), rssBytes: 0 },
      service: { cpuShare: share('service'), rssBytes: 0 },
      backing: { cpuShare: share('backing'), rssBytes: 0 },
    },
    stealShare: 0,
    othersCpuShare: 0.01,
    ioWaitShare: 0,
    signals: {
      statements: 1.5 * (1 - 0.05 * further) * (1 + 0.0005 * drawNormal(random)),
      rowsRead: 4 * (1 - 0.05 * further) * (1 + 0.0005 * drawNormal(random)),
      rowsWritten: 0.4 * (1 + 0.0005 * drawNormal(random)),
      redisCommands: 1.15 * (1 + 0.0005 * drawNormal(random)),
      bytesReceived: 900 * (1 + 0.0005 * drawNormal(random)),
    },
    invalid: [],
  };
}

/** Three endpoints, of which the last comes late in a pass. */
function mixOf(requests: number, further: number, latency: Block['latency']): EndpointBlock[] {
  const late = Math.max(0.01, 0.1 * (1 + 2 * further));
  return [
    ['early', 0.6 - late / 2],
    ['middle', 0.4 - late / 2],
    ['late', late],
  ].map(([name, share]) => ({
    name: String(name),
    requests: Math.round(requests * Number(share)),
    errors: 0,
    latency,
  }));
}

function runOf(id: string, cells: readonly (readonly Block[])[]): Run {
  return {
    schema: 1,
    id,
    startedAt: '2026-01-01T00:00:00.000Z',
    finishedAt: '2026-01-01T00:06:00.000Z',
    suite: 'pr',
    code: { commit: '', branch: 'main', dirty: false },
    fingerprint: {
      cpuModel: 'simulated',
      cpuCount: cores,
      memoryGiB: 0,
      os: '',
      runner: 'local',
      stack: 'process',
      k6: '',
      versions: {},
      dataKey: '',
      loadHash: '',
    },
    warmUp: { steady: true, seconds: 60, windows: [] },
    phases: [],
    cells: services.map(
      ({ scenario, load, vus }, index): Cell => ({ scenario, load, vus, blocks: [...(cells[index] ?? [])] }),
    ),
    invalid: [],
  };
}

/** The blocks of a run, round by round, on a machine of its hour. */
function drawRun(random: Random, world: World, id: string, moved?: number): Run {
  const machine = new Machine(random, world);
  const boot = drawBoot(random, world, moved);
  const cells = services.map((): Block[] => []);
  for (let round = 0; round < roundsOfCheck; round++) {
    for (const [cell, blocks] of cells.entries()) {
      blocks.push(drawBlock(random, world, boot, cell, round, machine.next()));
    }
  }
  return runOf(id, cells);
}

/** Both sides take turns on one machine; which goes first changes with every round. */
function drawInterleaved(
  random: Random,
  world: World,
  name: string,
  rounds: number,
  moved: number,
): Interleaved {
  const machine = new Machine(random, world);
  const [base, head] = [undefined, moved].map((ofHead) => ({
    boot: drawBoot(random, world, ofHead),
    cells: services.map((): Block[] => []),
  }));
  if (base === undefined || head === undefined) throw new Error('nothing was drawn');
  for (let round = 0; round < rounds; round++) {
    for (const cell of services.keys()) {
      for (const side of round % 2 === 0 ? [base, head] : [head, base]) {
        side.cells[cell]?.push(drawBlock(random, world, side.boot, cell, round, machine.next()));
      }
    }
  }
  return { base: runOf(`${name}-base`, base.cells), head: runOf(`${name}-head`, head.cells) };
}

/**
 * One trial: three stored runs, the head, and both interleaved measurements, which are drawn only if a rule looks at them.
 * Head's own effect is in the given cells.
 */
export function simulatedTrial(
  random: Random,
  world: World,
  effect: Effect | undefined,
  cells: readonly number[],
): Trial {
  const moved = drawMoved(random, world);
  const interleaved = (name: string, rounds: number): Interleaved => {
    const { base, head } = drawInterleaved(random, world, name, rounds, moved);
    return { base, head: withEffect(head, effect, cells) };
  };
  let beside: Interleaved | undefined;
  let again: Interleaved | undefined;
  return {
    history: [0, 1, 2].map((index) => drawRun(random, world, `stored-${index}`)),
    head: withEffect(drawRun(random, world, 'head', moved), effect, cells),
    get beside() {
      beside ??= interleaved('beside', roundsBeside);
      return beside;
    },
    get again() {
      again ??= interleaved('again', roundsOfConfirmation);
      return again;
    },
  };
}
