import type { Config } from '../model/config.ts';

/** Of CPUs that the generator has for itself: busier than this, its requests wait for one another. */
const ownCpusLimit = 0.8;

/** The limit on the generator's share of all CPUs, where it may not use all of them. */
export function generatorLimit(
  limits: Config['limits'],
  ownCpus: number | undefined,
  cpuCount: number,
): Config['limits'] {
  if (ownCpus === undefined) return limits;
  const own = (ownCpusLimit * ownCpus) / cpuCount;
  return { ...limits, generatorCpuShare: Math.min(limits.generatorCpuShare, own) };
}
