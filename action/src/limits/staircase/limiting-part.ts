import { busyCpuShare } from '../../model/experiment.ts';
import {
  type Limit,
  type LimitingPart,
  limitingParts,
  type StaircaseStep,
  usedCpu,
} from '../../model/staircase.ts';
import type { StackSize } from '../stack-size.ts';

/** A core is in use from this share on. */
const coreInUse = 0.85;
/** Steps within this share of the highest throughput count as the plateau. */
const plateau = 0.9;
/** More users at the last step than at the first one of the plateau, at least. */
const plateauGrowth = 1.5;
const waiting = 1;
const threadsInUse = 0.95;
/** Part of growth in proportion that counts as such. */
const inProportion = 0.5;
/** The service's own response time is much shorter than what users see. */
const seenFromOutside = 3;

const percent = (share: number) => `${Math.round(100 * share)}%`;
const round = (value: number) => (value < 10 ? value.toFixed(1) : value.toFixed(0));

/** What keeps throughput from growing, by what was in use where it no longer grew. */
export function limitingPart(steps: readonly StaircaseStep[], cpuCount: number, size: StackSize = {}): Limit {
  const most = Math.max(...steps.map(({ tps }) => tps.value));
  const flat = steps.filter(({ tps }) => tps.value >= plateau * most);
  const [first] = flat;
  const last = steps.at(-1);
  if (first === undefined || last === undefined) return { part: 'unknown', evidence: 'no step was measured' };
  if (most === 0) return { part: 'unknown', evidence: 'every request failed; see service.log' };
  // Beyond the plateau the generator also has more to do, which limits nothing any more.
  const limited = steps.find(({ generatorLimits, users }) => generatorLimits && users <= first.users);
  if (limited !== undefined) {
    const { cpu } = limited;
    return {
      part: 'generator',
      evidence: `it used ${percent(cpu.generator)} of all CPU with ${limited.users} users`,
    };
  }
  if (last.users < plateauGrowth * first.users) return tooClose(steps, first, last);
  // With the most users everybody waits for what is scarce, even if throughput has fallen by then.
  return (
    capLimit(last, cpuCount, size) ??
    cpuLimit(last) ??
    poolLimit(last) ??
    coreLimit(last, cpuCount, size) ??
    lockLimit(last, steps) ??
    threadsLimit(last) ??
    outsideLimit(last) ?? {
      part: 'unknown',
      evidence: `with ${last.users} users ${idleShare(last)} of all CPU was idle; the service's metrics do not show what requests waited for`,
    }
  );
}

function tooClose(steps: readonly StaircaseStep[], first: StaircaseStep, last: StaircaseStep): Limit {
  if (steps.length === 1) {
    return {
      part: 'unknown',
      evidence: `only ${last.users} users were tried, so how throughput grows is not known`,
    };
  }
  return first === last || last.tps.value > first.tps.value
    ? { part: 'none', evidence: `throughput still grew with ${last.users} users` }
    : {
        part: 'unknown',
        evidence: `throughput did not grow from ${first.users} to ${last.users} users; to see what limits it, add a step of at least ${Math.ceil(plateauGrowth * first.users)} users with \`--users\``,
      };
}

function idleShare({ cpu }: Pick<StaircaseStep, 'cpu'>): string {
  return percent(Math.max(0, 1 - usedCpu({ cpu })));
}

function capLimit(
  { cpu, users }: StaircaseStep,
  cpuCount: number,
  { instances = 1, cpus }: StackSize,
): Limit | undefined {
  if (cpus === undefined) return undefined;
  const [used, cores] = [cpu.service * cpuCount, instances * cpus];
  if (used < coreInUse * cores) return undefined;
  return {
    part: 'serviceCpu',
    evidence: `with ${users} users it used ${round(used)} of the ${round(cores)} cores that it may use`,
  };
}

function cpuLimit({ cpu, users }: StaircaseStep): Limit | undefined {
  const used = usedCpu({ cpu });
  if (used < busyCpuShare) return undefined;
  const parts: readonly (readonly [LimitingPart, number])[] = [
    ['serviceCpu', cpu.service],
    ['backingCpu', cpu.backing],
    ['generator', cpu.generator],
    ['stolenCpu', cpu.stolen],
    ['othersCpu', cpu.others],
  ];
  const [part] = parts.toSorted((a, b) => b[1] - a[1])[0] ?? ['unknown'];
  const shares = parts
    .filter(([, share]) => share >= 0.02)
    .map(
      ([name, share]) =>
        `${limitingParts[name].replace(/^the | that the host takes away$/g, '')} ${percent(share)}`,
    );
  return {
    part,
    evidence: `with ${users} users ${percent(used)} of all CPU was in use: ${shares.join(', ')}`,
  };
}

function coreLimit(
  { cpu, users }: StaircaseStep,
  cpuCount: number,
  { instances = 1 }: StackSize,
): Limit | undefined {
  const cores = (cpu.service * cpuCount) / instances;
  if (cpuCount > instances && cores >= coreInUse && cores <= 2 - coreInUse) {
    const who = instances === 1 ? 'it' : `each of ${instances} instances`;
    const evidence = `with ${users} users ${who} used ${round(cores)} of ${cpuCount} cores, and ${idleShare({ cpu })} of all CPU was idle`;
    return { part: 'serviceCore', evidence };
  }
  return undefined;
}

function poolLimit(at: StaircaseStep): Limit | undefined {
  const { poolPending, poolActive } = at.seen;
  if (poolPending === undefined || poolPending < waiting) return undefined;
  const active = poolActive === undefined ? '' : `, ${round(poolActive)} were in use`;
  return {
    part: 'pool',
    evidence: `with ${at.users} users ${round(poolPending)} requests waited for a connection${active}, and ${idleShare(at)} of all CPU was idle`,
  };
}

/**
 * Whoever waits within the service for one thing waits longer in proportion to the users who are let in. Worker threads alone
 * make requests wait before the service counts them.
 */
function lockLimit(at: StaircaseStep, steps: readonly StaircaseStep[]): Limit | undefined {
  const { users } = at;
  const { busyThreads, mostThreads = Number.POSITIVE_INFINITY, serviceTime } = at.seen;
  const lightest = steps.find(({ seen }) => seen.serviceTime !== undefined);
  const former = lightest?.seen.serviceTime;
  if (serviceTime === undefined || former === undefined || lightest === undefined) return undefined;
  const more = Math.min(users, mostThreads) / Math.min(lightest.users, mostThreads);
  if (more < plateauGrowth || serviceTime < inProportion * former * more) return undefined;
  const threads = busyThreads === undefined ? '' : `, ${round(busyThreads)} threads were busy`;
  return {
    part: 'lock',
    evidence: `with ${users} users requests took ${round(serviceTime)} ms within the service instead of ${round(former)} ms with ${lightest.users}, no connection was awaited${threads}, and ${idleShare(at)} of all CPU was idle`,
  };
}

function threadsLimit(at: StaircaseStep): Limit | undefined {
  const { busyThreads, mostThreads } = at.seen;
  if (busyThreads === undefined || mostThreads === undefined || busyThreads < threadsInUse * mostThreads) {
    return undefined;
  }
  return {
    part: 'threads',
    evidence: `with ${at.users} users ${round(busyThreads)} of ${round(mostThreads)} were busy, and ${idleShare(at)} of all CPU was idle`,
  };
}

function outsideLimit(at: StaircaseStep): Limit | undefined {
  const { users, meanMs, seen } = at;
  if (seen.serviceTime === undefined || meanMs < seenFromOutside * seen.serviceTime) return undefined;
  return {
    part: 'outside',
    evidence: `with ${users} users a request took ${round(meanMs)} ms, but only ${round(seen.serviceTime)} ms of it in the service, and ${idleShare(at)} of all CPU was idle`,
  };
}
