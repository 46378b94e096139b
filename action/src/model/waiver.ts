import { z } from 'zod';

/** Every cell: what all of them share. */
export const allCells = '*';

/** A worsening that is tolerated for a time although it is a regression. */
export interface Waiver {
  /** `scenario@load`, `scenario` for what its cells share, or `*` for what all cells share. */
  readonly cell: string;
  /** A metric, or the name of a signal. */
  readonly metric: string;
  /**
   * Largest worsening that it covers, relative to base (0.2 is 20%); of the error rate, as a difference of shares. Null
   * covers any, which is needed where base is 0.
   */
  readonly ceiling: number | null;
  /** Last day on which it counts, in UTC, as `2026-01-31`. */
  readonly until: string;
  readonly reason: string;
  /** Who accepted it; absent in gate.yml, whose history says so. */
  readonly by?: string;
}

const ceiling = z
  .string()
  .regex(/^(?:\d+(?:\.\d+)?%|any)$/, 'expected a percentage such as 10%, or any')
  .transform((text) => (text === 'any' ? null : Number.parseFloat(text) / 100));

export const waiversSchema = z
  .array(
    z.strictObject({
      cell: z
        .string()
        .min(1)
        .describe('`scenario@load`, `scenario` for what its cells share, or `*` for what all cells share.'),
      metric: z
        .string()
        .min(1)
        .describe('`p95`, `tps`, `serviceCpu`, `backingCpu`, `errorRate` or a signal.'),
      ceiling: ceiling.describe(
        'Largest worsening that is accepted, relative to base, such as 20%, or `any`. Beyond it, the check fails.',
      ),
      until: z.iso
        .date('expected a day such as 2026-01-31')
        .describe('Last day, in UTC, such as 2026-01-31. Later the check fails until you remove the waiver.'),
      reason: z.string().min(1).max(300).describe('Why. Reports quote it.'),
    }),
  )
  .default([])
  .describe('Regressions that you accept for a time. The waivers of the default branch count on GitHub.');

/** The waivers whose last day has passed; `today` as `2026-01-31`. */
export function expiredWaivers<One extends Pick<Waiver, 'until'>>(
  waivers: readonly One[],
  today: string,
): readonly One[] {
  return waivers.filter(({ until }) => until < today);
}
