import { readdirSync } from 'node:fs';
import type { ProcessReading } from '../../measure/index.ts';
import { type ProcessStat, parseStat } from '../host/index.ts';
import { readKernelFile } from './kernel-file.ts';

/** Linux counts CPU time in ticks of 1/100 s on every architecture it supports (`getconf CLK_TCK`). */
export const ticksPerSecond = 100;
const pageBytes = 4096;

/** Adds up the processes and all their descendants. A process that has ended counts nothing. */
export function readProcesses(roots: readonly number[]): ProcessReading {
  const counted = withDescendants(roots);
  return {
    cpuSeconds: counted.reduce((sum, { cpuTicks }) => sum + cpuTicks, 0) / ticksPerSecond,
    rssBytes: counted.reduce((sum, { rssPages }) => sum + rssPages, 0) * pageBytes,
  };
}

/** CPU seconds so far of the processes and all their descendants, by program name as in /proc/PID/comm. */
export function cpuSecondsByName(roots: readonly number[]): Readonly<Record<string, number>> {
  const seconds: Record<string, number> = {};
  for (const { name, cpuTicks } of withDescendants(roots)) {
    seconds[name] = (seconds[name] ?? 0) + cpuTicks / ticksPerSecond;
  }
  return seconds;
}

/** Programs that engines put in front of a container's main process to reap its children. */
const inits = new Set(['docker-init', 'tini', 'catatonit']);

/** The program name of a container's main process, where `pid` is the container's first process. */
export function mainProcessName(pid: number): string | undefined {
  const stats = withDescendants([pid]);
  const first = stats.find((stat) => stat.pid === pid);
  return first !== undefined && inits.has(first.name)
    ? stats.find(({ parent }) => parent === pid)?.name
    : first?.name;
}

function withDescendants(roots: readonly number[]): readonly ProcessStat[] {
  const stats = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => parseStat(readKernelFile(`/proc/${pid}/stat`) ?? '') ?? []);
  const children = Map.groupBy(stats, ({ parent }) => parent);
  // A set iterates over what is added on the way, so this visits every descendant once.
  const pids = new Set(roots);
  for (const pid of pids) for (const child of children.get(pid) ?? []) pids.add(child.pid);
  return stats.filter(({ pid }) => pids.has(pid));
}
