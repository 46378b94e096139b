import { describe, expect, it } from 'vitest';
import { recordedRun } from '../../test/recorded/recorded-runs.ts';
import { cpuPerRequest } from '../model/metric.ts';
import type { Block, Run } from '../model/run.ts';
import { type EffectKind, withEffect } from './effects.ts';

const run = recordedRun('02-unchanged');

function blockOf({ cells }: Run, cell: number): Block {
  const block = cells[cell]?.blocks[1];
  if (block === undefined) throw new Error('the run has no such block');
  return block;
}

/** By how much each figure of the changed cell's second block is multiplied. */
function factors(kind: EffectKind, size = 0.25): Readonly<Record<string, number>> {
  const [before, after] = [blockOf(run, 2), blockOf(withEffect(run, { kind, size }, [2]), 2)];
  const cpu = (role: string) =>
    (cpuPerRequest(role, after, run.fingerprint) ?? 0) / (cpuPerRequest(role, before, run.fingerprint) ?? 0);
  const found = {
    tps: after.tps / before.tps,
    mean: after.latency.meanMs / before.latency.meanMs,
    p95: after.latency.p95Ms / before.latency.p95Ms,
    service: cpu('service'),
    generator: cpu('generator'),
    backing: cpu('backing'),
    statements: (after.signals.statements ?? 0) / (before.signals.statements ?? 0),
  };
  return Object.fromEntries(Object.entries(found).map(([name, value]) => [name, Number(value.toFixed(3))]));
}

const same = { tps: 1, mean: 1, p95: 1, service: 1, generator: 1, backing: 1, statements: 1 };

describe('an effect of 25%', () => {
  it.each<[EffectKind, object]>([
    ['cpu', { ...same, tps: 0.8, mean: 1.25, p95: 1.25, service: 1.25 }],
    ['waiting', { ...same, tps: 0.8, mean: 1.25, p95: 1.25 }],
    ['tail', { ...same, p95: 1.25 }],
    ['counts', { ...same, statements: 1.25 }],
  ])('by %s', (kind, expected) => {
    expect(factors(kind)).toEqual(expected);
  });

  it('in one endpoint moves the cell by that endpoint’s share of its time', () => {
    const { tps = 0, mean = 0, ...others } = factors('endpoint');
    expect(mean).toBeGreaterThan(1.01);
    expect(mean).toBeLessThan(1.1);
    expect(tps).toBeCloseTo(1 / mean, 2);
    expect(others).toMatchObject({ service: 1, generator: 1, backing: 1, statements: 1 });
    const [before, after] = [
      blockOf(run, 2),
      blockOf(withEffect(run, { kind: 'endpoint', size: 0.25 }, [2]), 2),
    ];
    const slower = after.endpoints.filter(
      ({ latency }, at) => latency.meanMs > (before.endpoints[at]?.latency.meanMs ?? 0),
    );
    expect(slower.length).toBe(1);
  });

  it('slows the same endpoint in runs whose counts differ', () => {
    const other = {
      ...run,
      cells: run.cells.map((cell) => ({
        ...cell,
        blocks: cell.blocks.map((block) => ({
          ...block,
          endpoints: block.endpoints
            .map((one, at) => ({ ...one, requests: 100 + 50 * (at % 3) }))
            .toReversed(),
        })),
      })),
    };
    const slowed = (of: typeof run) => {
      const changed = blockOf(withEffect(of, { kind: 'endpoint', size: 0.25 }, [2]), 2);
      return changed.endpoints
        .filter(({ latency }, at) => latency.meanMs > (blockOf(of, 2).endpoints[at]?.latency.meanMs ?? 0))
        .map(({ name }) => name);
    };
    expect(slowed(run)).toHaveLength(1);
    expect(slowed(other)).toEqual(slowed(run));
  });

  it('leaves the other cells, and the run without an effect, as they were', () => {
    const changed = withEffect(run, { kind: 'cpu', size: 0.25 }, [2]);
    expect(changed.cells.filter((cell, at) => cell !== run.cells[at]).length).toBe(1);
    expect(withEffect(run, undefined, [2])).toBe(run);
  });
});
