import { build, encodeIntoCompressedBase64 } from 'hdr-histogram-js';
import type { Measurements } from '../../src/judge/measurements.ts';
import type { CheckRecord, MeasuredSide } from '../../src/model/record.ts';
import type { Block, Latency, Run } from '../../src/model/run.ts';
import type { BlockSeries, RequestSeries } from '../../src/model/series.ts';
import type { Verdict } from '../../src/model/verdict.ts';

const guardSeconds = 2;
const startMs = Date.parse('2026-01-31T10:12:30Z');

/** What a check with these measurements leaves, with histograms and series that agree with the blocks. */
export function drawnRecord(
  { run, base, again, profiles = [], stored = [] }: Measurements,
  verdict: Verdict,
): CheckRecord {
  const side = (of: Run, name: BlockSeries['side'], isLast = true): MeasuredSide => {
    const timed = timedRun(of, name);
    return {
      run: timed,
      series: timed.cells.flatMap((cell) => cell.blocks.map((block) => seriesOf(block, cell, name))),
      profiles: isLast ? profiles.filter((profile) => profile.side === name) : [],
    };
  };
  return {
    verdict,
    head: side(run, 'head', again === undefined),
    ...(base === undefined ? {} : { base: side(base, 'base', again === undefined) }),
    ...(again === undefined
      ? {}
      : { again: { base: side(again.base, 'base'), head: side(again.head, 'head') } }),
    stored,
  };
}

/** Sides alternate, so that head's block of a round follows base's. */
function timedRun(run: Run, side: BlockSeries['side']): Run {
  return {
    ...run,
    cells: run.cells.map((cell, index) => ({
      ...cell,
      blocks: cell.blocks.map((block) => {
        const turn = (block.round * run.cells.length + index) * 2 + (side === 'head' ? 1 : 0);
        return {
          ...block,
          startedAt: new Date(startMs + turn * 12_000).toISOString(),
          latency: withHistogram(block.latency),
        };
      }),
    })),
  };
}

/** A histogram with about these percentiles. */
function withHistogram(latency: Latency): Latency {
  if (latency.maxMs === 0) return latency;
  const histogram = build({ autoResize: true, numberOfSignificantValueDigits: 3 });
  const ends = [0.1, latency.p50Ms, latency.p90Ms, latency.p95Ms, latency.p99Ms, latency.maxMs];
  const counts = [50, 40, 5, 4, 1];
  for (const [index, count] of counts.entries()) {
    const [from = 0, to = 0] = ends.slice(index, index + 2);
    for (let at = 1; at <= count; at++)
      histogram.recordValue(Math.round((from + ((to - from) * at) / count) * 1000));
  }
  return { ...latency, histogram: encodeIntoCompressedBase64(histogram) };
}

function seriesOf(
  block: Block,
  { scenario, load, vus }: { readonly scenario: string; readonly load: string; readonly vus: number },
  side: BlockSeries['side'],
): BlockSeries {
  const seconds = Array.from({ length: guardSeconds + block.countedSeconds }, (_, second) => second);
  const wave = (second: number) => 1 + 0.1 * Math.sin(second);
  const requests = (tps: number, latency: Latency, errorShare: number): RequestSeries => {
    const bySecond = seconds.map((second) => Math.round(tps * wave(second)));
    return {
      requests: bySecond,
      failed: bySecond.map((count) => Math.round(count * errorShare)),
      p50Ms: seconds.map((second) => latency.p50Ms * wave(second)),
      p95Ms: seconds.map((second) => latency.p95Ms * wave(second)),
      p99Ms: seconds.map((second) => latency.p99Ms * wave(second)),
    };
  };
  const errorShare = block.errors / Math.max(1, block.requests);
  const all = requests(block.tps, block.latency, errorShare);
  return {
    schema: 1,
    phase: 'block',
    side,
    scenario,
    load,
    round: block.round,
    guardSeconds,
    countedSeconds: block.countedSeconds,
    startedAt: block.startedAt,
    users: seconds.map((second) => Math.min(vus, Math.ceil((vus * (second + 1)) / guardSeconds))),
    all,
    endpoints: Object.fromEntries(
      block.endpoints.map((one) => [
        one.name,
        requests(one.requests / block.countedSeconds, one.latency, one.errors / Math.max(1, one.requests)),
      ]),
    ),
    failures: errorShare > 0 ? { '500': all.failed } : {},
    readAtSeconds: seconds.map((second) => second + 0.2),
    readings: {
      serviceCpu: seconds.map((second) =>
        second === 0 ? null : (block.usage.service?.cpuShare ?? 0) * wave(second),
      ),
      backingCpu: seconds.map((second) =>
        second === 0 ? null : (block.usage.backing?.cpuShare ?? 0) * wave(second),
      ),
      poolPending: seconds.map((second) => (second === 3 ? null : second % 4)),
      slowStatements: seconds.map((second) => (second === 0 ? null : 0)),
    },
  };
}
