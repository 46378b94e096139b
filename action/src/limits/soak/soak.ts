import { mean, median } from 'simple-statistics';
import type { AtRest, MeasuredBlock, PlannedCell } from '../../measure/index.ts';
import type { Config } from '../../model/config.ts';
import { largeGrowth } from '../../model/course.ts';
import { Fault } from '../../model/fault.ts';
import type { ReadingName } from '../../model/reading.ts';
import {
  type ClassCount,
  type GrownClass,
  isUsedUp,
  type Soak,
  type SoakSeries,
  type SoakUnit,
} from '../../model/soak.ts';
import { dipsOf, settled, slopeOf } from '../../stats/index.ts';
import { failedShare, goodput } from '../goodput.ts';
import { loadOfCell, withOneCell } from '../one-cell.ts';
import { lastReading, meanReading } from '../readings.ts';
import { grownThreads } from './threads.ts';

export const soakSuite = 'soak';
const place = 'gate soak';

/** Virtual users arrive within this part of a block. */
const guard = 2;
/** A leak is proved at this level, because many quantities are asked about. */
const level = 0.9999;
const mostClasses = 10;
/** Throughput below this share of what was usual before, to the end, is a collapse. */
const collapsedShare = 0.5;
/** With so many blocks before it, a trend can be seen. */
const leastBefore = 8;

/** The configuration with a suite of that cell alone. Each block lasts as long. */
export function soakConfig(config: Config, cell: string, blockSeconds: number): Config {
  const changed = withOneCell(config, cell, {
    suite: soakSuite,
    place,
    guard,
    counted: Math.max(1, blockSeconds - guard),
  });
  const { users, profile } = loadOfCell(config, cell) ?? {};
  if (users === undefined && profile === undefined) return changed;
  throw new Fault({
    code: 'E_SOAK_LOAD',
    kind: 'usage',
    place,
    cause: `the load of ${cell} changes over time by its \`${users === undefined ? 'profile' : 'users'}\`, and what grows shows under a constant one`,
    nextStep: 'name a cell whose load has `vus` or `arrival` alone',
  });
}

/** A block, and what was looked at after it. */
export interface SoakBlock extends MeasuredBlock, AtRest {
  /** Minutes from the first block to the middle of this one. */
  readonly atMinutes: number;
  /** What is alive on the heap; absent if nobody can see it. */
  readonly objects?: readonly ClassCount[];
  /** Bytes of the service's log so far. */
  readonly logBytes?: number;
  /** Every thread and what it does; absent if nobody can see it. */
  readonly threadDump?: string;
}

export interface SoakPort {
  take(cell: PlannedCell, round: number, done: number): Promise<MeasuredBlock>;
  /** Looks at the heap; absent if nobody can. */
  liveObjects?(): Promise<readonly ClassCount[]>;
  logBytes(): number | undefined;
  /** Looks at the threads; absent if nobody can. */
  threadDump?(): Promise<string>;
  atRest(): Promise<AtRest>;
  /** Minutes since the first block began. */
  minutes(): number;
}

/** Loads the cell block after block, and looks at the service after each. */
export async function soak(
  cell: PlannedCell,
  minutes: number,
  port: SoakPort,
  into: SoakBlock[],
): Promise<void> {
  for (let round = 0; port.minutes() < minutes; round++) {
    const from = port.minutes();
    const measured = await port.take(cell, round, Math.min(1, from / minutes));
    const block = { ...measured, atMinutes: (from + port.minutes()) / 2 };
    // What is looked at may fail, and the block was measured all the same.
    into.push(block);
    const objects = await port.liveObjects?.();
    const threadDump = await port.threadDump?.();
    const atRest = await port.atRest();
    const logBytes = port.logBytes();
    into[into.length - 1] = {
      ...block,
      ...atRest,
      ...(objects !== undefined && { objects }),
      ...(threadDump !== undefined && { threadDump }),
      ...(logBytes !== undefined && { logBytes }),
    };
  }
}

interface Source {
  readonly name: string;
  readonly title: string;
  readonly unit: SoakUnit;
  readonly read: (block: SoakBlock) => number | undefined;
  /** What it can be at most. */
  readonly most?: (block: SoakBlock) => number | undefined;
  /** False for what grows without a leak, such as the memory of a database that fills its cache. */
  readonly judged: boolean;
  /** True if nothing needs it when it is read. If all there can be is in use even then, somebody keeps it. */
  readonly unneeded?: true;
}

const totalOf = (objects: readonly ClassCount[] | undefined) =>
  objects?.reduce((sum, { bytes }) => sum + bytes, 0);

function sourcesOf(blocks: readonly SoakBlock[], instances: number): readonly Source[] {
  const seesHeap = blocks.some((block) => totalOf(block.objects) !== undefined);
  const read = (name: ReadingName) => (block: SoakBlock) => lastReading(block, name);
  // Metrics are those of all instances, and objects are counted in one of them.
  const mostHeap = (block: SoakBlock) => {
    const most = lastReading(block, 'mostHeap');
    return most !== undefined && seesHeap ? most / instances : most;
  };
  const seesKeys = blocks.some((block) => lastReading(block, 'redisLastingKeys') !== undefined);
  const seesIdlePool = blocks.some(({ connectionsInUse }) => connectionsInUse !== undefined);
  const tables = [...new Set(blocks.flatMap(({ rows }) => Object.keys(rows ?? {})))];
  return [
    {
      name: 'liveHeap',
      title: seesHeap && instances > 1 ? 'live heap of one instance' : 'live heap',
      unit: 'bytes',
      read: (block) => totalOf(block.objects) ?? lastReading(block, 'liveHeap'),
      most: mostHeap,
      judged: true,
    },
    {
      name: 'serviceMemory',
      title: "service's resident memory",
      unit: 'bytes',
      read: ({ block }) => block.usage.service?.rssBytes,
      // A JVM fills its heap before it collects.
      judged: !seesHeap,
    },
    {
      name: 'backingMemory',
      title: "backing services' resident memory",
      unit: 'bytes',
      read: ({ block }) => block.usage.backing?.rssBytes,
      judged: false,
    },
    { name: 'liveThreads', title: 'threads', unit: '', read: read('liveThreads'), judged: true },
    ...(['runnable', 'blocked', 'waiting', 'timedWaiting'] as const).map((state) => ({
      name: `${state}Threads`,
      title: `threads ${state === 'timedWaiting' ? 'waiting for a time' : state}`,
      unit: '' as const,
      read: (block: SoakBlock) => meanReading([block], `${state}Threads`),
      // Who waits for what changes all the time; the threads together are judged.
      judged: false,
    })),
    { name: 'openFiles', title: 'open files and sockets', unit: '', read: read('openFiles'), judged: true },
    {
      name: 'poolActive',
      title: 'connections in use',
      unit: '',
      read: (block) => meanReading([block], 'poolActive'),
      most: read('mostConnections'),
      judged: !seesIdlePool,
    },
    {
      name: 'connectionsAtRest',
      title: 'connections in use between blocks',
      unit: '',
      read: ({ connectionsInUse }) => connectionsInUse,
      most: read('mostConnections'),
      judged: true,
      unneeded: true,
    },
    {
      name: 'redisLastingKeys',
      title: 'Redis keys without a lifetime',
      unit: '',
      read: read('redisLastingKeys'),
      judged: true,
    },
    {
      name: 'redisExpiringKeys',
      title: 'Redis keys with a lifetime',
      unit: '',
      read: read('redisExpiringKeys'),
      // They become more until the first of them expire.
      judged: false,
    },
    {
      name: 'redisMemory',
      title: "Redis' memory",
      unit: 'bytes',
      read: read('redisMemory'),
      // Keys with a lifetime fill it too.
      judged: !seesKeys,
    },
    ...tables.map((table) => ({
      name: `rows.${table}`,
      title: `rows of ${table}`,
      unit: '' as const,
      read: ({ rows }: SoakBlock) => rows?.[table],
      judged: true,
    })),
    { name: 'kafkaLag', title: 'Kafka lag', unit: '', read: read('kafkaLag'), judged: true },
    { name: 'p95', title: 'p95', unit: 'ms', read: ({ block }) => block.latency.p95Ms, judged: true },
    { name: 'tps', title: 'requests per second', unit: '/s', read: ({ block }) => block.tps, judged: false },
    { name: 'log', title: 'log', unit: 'bytes', read: ({ logBytes }) => logBytes, judged: false },
  ];
}

/**
 * What grew, what the blocks show, and which classes are behind it.
 *
 * @param instances of the service; objects are counted in one of them
 */
export function soakOf(
  about: Pick<
    Soak,
    'id' | 'startedAt' | 'cell' | 'vus' | 'arrival' | 'commit' | 'machine' | 'blockSeconds' | 'partial'
  >,
  blocks: readonly SoakBlock[],
  instances = 1,
): Soak {
  const requests = blocks.reduce((sum, { block }) => sum + block.requests, 0);
  const errors = blocks.reduce((sum, { block }) => sum + block.errors, 0);
  const before = beforeCollapse(blocks);
  const collapsed = blocks[before];
  const [first, ...later] = blocks.flatMap(({ objects }) => (objects === undefined ? [] : [objects]));
  return {
    schema: 1,
    ...about,
    series: sourcesOf(blocks, instances).flatMap((source) => seriesOf(source, blocks, before)),
    ...(collapsed !== undefined && { collapsedAt: collapsed.atMinutes }),
    requests,
    errorRate: requests === 0 ? 0 : errors / requests,
    failedShare: mean(blocks.map(({ block }) => failedShare(block))),
    dips: dipsOf(
      blocks.flatMap(({ seconds, block: { countedSeconds } }) =>
        seconds === undefined ? [] : [{ seconds, guardSeconds: guard, countedSeconds }],
      ),
    ),
    grown: grownClasses(first ?? [], later.at(-1) ?? []),
    grownThreads: grownThreads(blocks.flatMap(({ threadDump }) => threadDump ?? [])),
  };
}

/** How many blocks there were before the service collapsed. One that hardly answers lets nothing grow any more. */
function beforeCollapse(blocks: readonly SoakBlock[]): number {
  const tps = blocks.map(({ block }) => goodput(block));
  const at = tps.findIndex(
    (_, index) =>
      index >= leastBefore && Math.max(...tps.slice(index)) < collapsedShare * median(tps.slice(0, index)),
  );
  return at === -1 ? blocks.length : at;
}

function seriesOf(
  { name, title, unit, read, most: mostOf, judged, unneeded }: Source,
  blocks: readonly SoakBlock[],
  before: number,
): readonly SoakSeries[] {
  const pointsOf = (some: readonly SoakBlock[]) =>
    some.flatMap((block) => {
      const value = read(block);
      return value === undefined ? [] : [{ at: block.atMinutes, value }];
    });
  const points = pointsOf(blocks);
  if (points.length === 0) return [];
  const [most] = blocks.toReversed().flatMap((block) => mostOf?.(block) ?? []);
  const later = settled(pointsOf(blocks.slice(0, before)));
  const slope = slopeOf(later, level);
  const [from, to] = [later[0]?.at ?? 0, later.at(-1)?.at ?? 0];
  const grows = judged && slope !== undefined && slope.growth.low > 0;
  const leaks = grows && slope.growth.value * (to - from) >= largeGrowth * Math.abs(slope.level);
  const kept = unneeded === true && isUsedUp(points, most);
  const left =
    leaks && most !== undefined && most > 0
      ? Math.max(0, most - (points.at(-1)?.value ?? 0)) / slope.growth.value / 60
      : undefined;
  return [
    {
      name,
      title,
      unit,
      points,
      ...(slope && {
        trend: {
          ...slope,
          from,
          to,
          grows,
          leaks: leaks || kept,
          ...(left !== undefined && { hoursLeft: left }),
        },
      }),
      ...(most !== undefined && most > 0 && { most }),
    },
  ];
}

function grownClasses(before: readonly ClassCount[], after: readonly ClassCount[]): readonly GrownClass[] {
  const former = new Map(before.map((one) => [one.name, one]));
  return after
    .map((one) => ({
      ...one,
      moreBytes: one.bytes - (former.get(one.name)?.bytes ?? 0),
      moreInstances: one.instances - (former.get(one.name)?.instances ?? 0),
    }))
    .filter(({ moreBytes }) => moreBytes > 0)
    .toSorted((a, b) => b.moreBytes - a.moreBytes)
    .slice(0, mostClasses);
}
