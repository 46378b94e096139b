import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { cpus, loadavg, platform, release, totalmem } from 'node:os';
import type { Machine, MachineReading } from '../../measure/index.ts';
import { readKernelFile } from './kernel-file.ts';
import { readProcesses, ticksPerSecond } from './processes.ts';

/** systemd's id of the installation; empty or absent in most containers. */
const machineIdFile = '/etc/machine-id';
/** Characters of a hash that suffice to distinguish hosts. */
const hostLength = 16;

interface LinuxMachineOptions {
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
    read: () => ({ ...parseMachine(readFileSync('/proc/stat', 'utf8')), load: loadavg()[0] ?? 0 }),
    readProcesses,
    readSelf: () => {
      const { user, system } = process.cpuUsage();
      return { cpuSeconds: (user + system) / 1e6, rssBytes: process.memoryUsage.rss() };
    },
  };
}

type Place = Pick<ReturnType<Machine['describe']>, 'runner' | 'host'>;

/**
 * GitHub's own runners are a different host every time, so only their image counts. Any other CI may pick from a pool
 * of hosts, so the host is named. Outside of CI every run is on this machine.
 */
function placeOf({ ci, env }: LinuxMachineOptions, idFile: string): Place {
  const { ImageOS, RUNNER_ARCH = '', RUNNER_NAME = '' } = env;
  if (ImageOS !== undefined) return { runner: `${ImageOS} ${RUNNER_ARCH}`.trim() };
  if (!ci) return { runner: 'local' };
  const runner = `self-hosted ${RUNNER_ARCH}`.trim();
  const idText = readKernelFile(idFile)?.trim() ?? '';
  // systemd writes `uninitialized` into an image before its first boot.
  const id = idText === 'uninitialized' ? '' : idText;
  if (RUNNER_NAME === '' && id === '') return { runner };
  // A runner's name may move to another host, and hosts made from one image may share an id: both have to match.
  // The hash keeps them out of a public baseline.
  const host = createHash('sha256').update(`${RUNNER_NAME}\n${id}`).digest('hex').slice(0, hostLength);
  return { runner, host };
}

/** Parses the first line of /proc/stat: user nice system idle iowait irq softirq steal (guest is within user). */
export function parseMachine(text: string): Omit<MachineReading, 'load'> {
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
