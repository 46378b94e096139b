import type { Sweep, SweepBoot } from '../../model/sweep.ts';

/** The logarithm of the figure that values are compared by; more is better. */
export function goodness({ tps, p95Ms }: SweepBoot, figure: Sweep['figure']): number {
  return figure === 'tps' ? Math.log(tps) : -Math.log(p95Ms);
}
