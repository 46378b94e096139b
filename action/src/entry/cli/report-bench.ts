import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { type PageCost, pageCostReport } from '../../report/index.ts';
import { findResult, unknownResult } from '../kept-results.ts';
import type { CommandContext } from './command.ts';

const costSchema = z.object({
  requests: z.number(),
  blocks: z.number(),
  readMs: z.number(),
  pageMs: z.number(),
  peakBytes: z.number(),
  pageBytes: z.number(),
  points: z.number(),
  pointsMs: z.number(),
}) satisfies z.ZodType<PageCost>;

/** Prints what the page and the points of the newest finished check cost. */
export async function benchReportOf({
  settings,
  terminal,
}: Pick<CommandContext, 'settings' | 'terminal'>): Promise<void> {
  const found = await findResult(settings);
  if (found === undefined) throw unknownResult(settings);
  const script = join(import.meta.dirname, 'page-cost.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [script, found.directory]);
  terminal.print(pageCostReport(costSchema.parse(JSON.parse(stdout)), terminal.paintOut));
}
