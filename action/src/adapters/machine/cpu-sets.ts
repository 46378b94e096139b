import { readKernelFile } from './kernel-file.ts';

/** CPUs of the service, its backing services and the load generator, as lists such as `0-1` or `2,4`. */
export interface CpuSets {
  readonly service: string;
  readonly backing: string;
  readonly generator: string;
  /** Number of the generator's CPUs. */
  readonly generatorCpus: number;
}

/** Enough for one CPU each, and two for the service. */
const fewestCpus = 4;

/**
 * Gives half of the CPUs to the service and a quarter each to its backing services and to the generator. Each set is a
 * run of numbers, because neighbours are usually two threads of one core, which disturb each other.
 *
 * @param cpus numbers of the usable CPUs, ascending
 * @returns undefined if they are too few to separate anything
 */
export function cpuSets(cpus: readonly number[]): CpuSets | undefined {
  if (cpus.length < fewestCpus) return undefined;
  const quarter = Math.floor(cpus.length / 4);
  const half = cpus.length - 2 * quarter;
  return {
    service: cpuList(cpus.slice(0, half)),
    backing: cpuList(cpus.slice(half, half + quarter)),
    generator: cpuList(cpus.slice(half + quarter)),
    generatorCpus: quarter,
  };
}

/** Reads a list in the kernel's form (man 7 cpuset): `0-2,7` as 0, 1, 2, 7. */
export function parseCpuList(text: string): number[] {
  return text
    .trim()
    .split(',')
    .filter((part) => part !== '')
    .flatMap((part) => {
      const [from = 0, to = from] = part.split('-').map(Number);
      return Array.from({ length: to - from + 1 }, (_, index) => from + index);
    });
}

/** The CPUs that this process may use; none on systems other than Linux. */
export function allowedCpus(): number[] {
  const status = readKernelFile('/proc/self/status') ?? '';
  return parseCpuList(/^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1] ?? '');
}

function cpuList(cpus: readonly number[]): string {
  const runs: { from: number; to: number }[] = [];
  for (const cpu of cpus) {
    const last = runs.at(-1);
    if (last !== undefined && cpu === last.to + 1) last.to = cpu;
    else runs.push({ from: cpu, to: cpu });
  }
  return runs.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
}
