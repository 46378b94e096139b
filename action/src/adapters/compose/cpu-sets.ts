import { readFileSync } from 'node:fs';

/** CPUs that generator, service and what it needs keep to, as lists such as `0-1` or `2,4`. */
export interface CpuSets {
  readonly service: string;
  readonly backing: string;
  readonly generator: string;
  /** How many the generator has. */
  readonly generatorCpus: number;
}

/** With fewer there is not one for each and two for the service, which production gives it. */
const fewestCpus = 4;

/**
 * Half of the CPUs for the service, a quarter each for what it needs and for the generator. In runs, because
 * neighbouring numbers are mostly the two threads of one core, which disturb each other.
 *
 * @param cpus numbers of the CPUs that may be used, ascending
 * @returns undefined if there are too few to keep anything apart
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

/** The CPUs that this process may use. None where the kernel does not tell, which is anywhere but on Linux. */
export function allowedCpus(): number[] {
  try {
    const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    return parseCpuList(list ?? '');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
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
