import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { cpus, platform, release, totalmem } from 'node:os';
import type { Machine, MachineReading, ProcessReading } from '../../measure/index.ts';

/** Linux counts CPU time in ticks of 1/100 s on every architecture it supports (`getconf CLK_TCK`). */
const ticksPerSecond = 100;
const pageBytes = 4096;

interface Stat {
  readonly pid: number;
  readonly parent: number;
  readonly cpuTicks: number;
  readonly rssPages: number;
}

/** Parses /proc/PID/stat (man 5 proc). The command is in parentheses and may itself hold any character. */
export function parseStat(text: string): Stat | undefined {
  const close = text.lastIndexOf(')');
  const pid = Number.parseInt(text, 10);
  if (close < 0 || Number.isNaN(pid)) return undefined;
  const fields = text.slice(close + 2).split(' ');
  const field = (number: number) => Number(fields[number - 3]);
  return {
    pid,
    parent: field(4),
    // utime and stime, and those of children that were waited for.
    cpuTicks: field(14) + field(15) + field(16) + field(17),
    rssPages: field(24),
  };
}

/** Where systemd keeps what tells one installation from another; empty or absent in most containers. */
const machineIdFile = '/etc/machine-id';
/** Enough of a hash to tell two hosts apart. */
const hostLength = 16;

export interface LinuxMachineOptions {
  readonly ci: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function createLinuxMachine(options: LinuxMachineOptions, idFile = machineIdFile): Machine {
  const cores = cpus();
  const place = placeOf(options, idFile);
  return {
    describe: () => ({
      cpuModel: cores[0]?.model.trim() ?? 'unknown',
      cpuCount: cores.length,
      memoryGiB: Math.round(totalmem() / 2 ** 30),
      os: `${platform()} ${release().split('.').slice(0, 2).join('.')}`,
      ...place,
    }),
    read: readMachine,
    readProcesses,
    readSelf: () => {
      const { user, system } = process.cpuUsage();
      return { cpuSeconds: (user + system) / 1e6, rssBytes: process.memoryUsage.rss() };
    },
  };
}

type Place = Pick<ReturnType<Machine['describe']>, 'runner' | 'host'>;

/**
 * GitHub's own runners are another host every time. On CI without their image a run may come from any of a pool of
 * hosts, so it is told which one; outside of CI there is only this one.
 */
function placeOf({ ci, env }: LinuxMachineOptions, idFile: string): Place {
  const { ImageOS, RUNNER_ARCH = '', RUNNER_NAME = '' } = env;
  if (ImageOS !== undefined) return { runner: `${ImageOS} ${RUNNER_ARCH}`.trim() };
  if (!ci) return { runner: 'local' };
  const runner = `self-hosted ${RUNNER_ARCH}`.trim();
  const host = hostOf(RUNNER_NAME, readMachineId(idFile));
  return host === undefined ? { runner } : { runner, host };
}

/**
 * Both have to be the same: a runner's name may be given to another host, and the id of an image to many. Hashed, since
 * a baseline may be public. Undefined if neither is known.
 */
function hostOf(runnerName: string, machineId: string): string | undefined {
  if (runnerName === '' && machineId === '') return undefined;
  return createHash('sha256').update(`${runnerName}\n${machineId}`).digest('hex').slice(0, hostLength);
}

function readMachineId(file: string): string {
  try {
    const text = readFileSync(file, 'utf8').trim();
    // What systemd writes into an image before its first boot.
    return text === 'uninitialized' ? '' : text;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}

function readMachine(): MachineReading {
  return parseMachine(readFileSync('/proc/stat', 'utf8'));
}

/** First line of /proc/stat: user nice system idle iowait irq softirq steal (guest time is within user). */
export function parseMachine(text: string): MachineReading {
  const seconds = (text.split('\n')[0] ?? '')
    .split(/\s+/)
    .slice(1, 9)
    .map((ticks) => Number(ticks) / ticksPerSecond);
  const [, , , idle = 0, ioWait = 0, , , stolen = 0] = seconds;
  const totalSeconds = seconds.reduce((sum, value) => sum + value, 0);
  return {
    totalSeconds,
    busySeconds: totalSeconds - idle - ioWait - stolen,
    ioWaitSeconds: ioWait,
    stolenSeconds: stolen,
  };
}

/** The processes with all their descendants. One that has ended meanwhile counts nothing. */
export function readProcesses(roots: readonly number[]): ProcessReading {
  const wanted = new Set(roots);
  const stats: Stat[] = [];
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = readStat(entry);
    if (stat !== undefined) stats.push(stat);
  }
  const children = Map.groupBy(stats, ({ parent }) => parent);
  const queue = [...wanted];
  for (let pid = queue.pop(); pid !== undefined; pid = queue.pop()) {
    for (const child of children.get(pid) ?? []) {
      if (wanted.has(child.pid)) continue;
      wanted.add(child.pid);
      queue.push(child.pid);
    }
  }
  let ticks = 0;
  let pages = 0;
  for (const stat of stats) {
    if (!wanted.has(stat.pid)) continue;
    ticks += stat.cpuTicks;
    pages += stat.rssPages;
  }
  return { cpuSeconds: ticks / ticksPerSecond, rssBytes: pages * pageBytes };
}

function readStat(pid: string): Stat | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch (error) {
    // The process ended between the listing and the reading.
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH'))
      return undefined;
    throw error;
  }
}
