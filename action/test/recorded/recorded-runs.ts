import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parse } from 'yaml';
import { type Plan, planSuite } from '../../src/measure/plan.ts';
import { configSchema } from '../../src/model/config.ts';
import { type Block, cellName, type Run, runSchema } from '../../src/model/run.ts';

/** The reference configuration, which judges the recorded runs. */
export const recordedConfig = configSchema.parse(
  parse(readFileSync(join(import.meta.dirname, '../../../perf/gate.yml'), 'utf8')),
);

const suite = planSuite(recordedConfig, 'pr', 'perf/gate.yml');

/** What was recorded: the cells of a pull request that are timed. */
export const recordedPlan: Plan = { ...suite, cells: suite.cells.filter(({ costsAlone }) => !costsAlone) };

/**
 * Runs of the reference service on one slow, shared machine with 2 cores, without histograms. Runs 1, 2, 7, 8, 9 and 12
 * are of unchanged code; the others are regressions made on purpose. The two of run 6 were measured interleaved.
 */
export const recordedNames = [
  '01-unchanged',
  '02-unchanged',
  '03-token-read-four-times',
  '04-sha256-250-times',
  '05-plan-overview-n-plus-1',
  '06-n-plus-1-interleaved-base',
  '06-n-plus-1-interleaved-head',
  '07-unchanged',
  '08-unchanged-faster-hour',
  '09-unchanged-speed-changed-midway',
  '10-synchronized-lookup',
  '11-trip-detail-20-kb-larger',
  '12-unchanged',
] as const;
export type RecordedName = (typeof recordedNames)[number];

export function recordedRun(name: RecordedName): Run {
  const file = join(import.meta.dirname, 'runs', `${name}.json.gz`);
  const text = gunzipSync(readFileSync(file)).toString();
  // The service counted the bytes then, and the generator does now.
  return runSchema.parse(JSON.parse(text.replaceAll('"responseBytes"', '"bytesReceived"')));
}

/** The run with other blocks, in all cells or in those of these names. */
export function withBlocks(run: Run, change: (block: Block) => Block, names?: readonly string[]): Run {
  const cells = run.cells.map((cell) =>
    names === undefined || names.includes(cellName(cell))
      ? { ...cell, blocks: cell.blocks.map(change) }
      : cell,
  );
  return { ...run, cells };
}

/** The run on a machine that takes so many times as long for everything. */
export function slowedBy(factor: number, run: Run): Run {
  return withBlocks(run, (block) => ({
    ...block,
    tps: block.tps / factor,
    latency: { ...block.latency, p95Ms: block.latency.p95Ms * factor },
  }));
}

/** The run, whose named parts need so many times the CPU time per request, in all cells or in those of these names. */
export function dearer(factor: number, parts: readonly string[], run: Run, names?: readonly string[]): Run {
  const change = (block: Block) => ({
    ...block,
    usage: Object.fromEntries(
      Object.entries(block.usage).map(([part, usage]) => [
        part,
        parts.includes(part) ? { ...usage, cpuShare: usage.cpuShare * factor } : usage,
      ]),
    ),
  });
  return withBlocks(run, change, names);
}
