import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Detection, detectionSchema } from '../../model/detection.ts';
import { standingsTable } from './detection-standings.ts';

const found = detectionSchema.parse(
  JSON.parse(readFileSync(new URL('../../../../perf/detection/results.json', import.meta.url), 'utf8')),
);

type Bounds = readonly [low: number, high: number];
type Both = Detection['equal'][number]['asItIs'];

function both(falseAlarms: Bounds, power: Bounds): Both {
  const rate = ([low, high]: Bounds) => ({ rate: (low + high) / 2, low, high });
  return { falseAlarms: rate(falseAlarms), power: rate(power) };
}

const ours = { asItIs: both([0.05, 0.1], [0.5, 0.7]) };

/** The peer's row of the table, where it has these rates once its limit is set anew, in whichever respect. */
function rowOf(theirs: Both, against: 'stored' | 'beside' = 'stored', pairs = 0): readonly string[] {
  const own = `perf-gate-${against}`;
  const peer = { rule: 'bencher-t', against: own, asItIs: theirs, atFalseAlarms: theirs, atPower: theirs };
  const rows = [{ ...ours, rule: own }, peer];
  const [{ world } = expect.unreachable('no world is simulated')] = found.simulated;
  const simulatedEqual = rows.map((row) => ({ ...row, world }));
  const line = standingsTable({ ...found, data: { ...found.data, pairs }, equal: rows, simulatedEqual })
    .split('\n')
    .find((text) => text.includes('t-test'));
  return (line ?? '')
    .split('|')
    .slice(2, -1)
    .map((cell) => cell.trim());
}

describe('a peer next to our rule', () => {
  it.each<[string, Bounds, Bounds, string, string]>([
    ['finds fewer changes', [0.05, 0.1], [0.1, 0.3], 'beaten', 'open'],
    ['finds more changes', [0.05, 0.1], [0.8, 0.9], 'ahead', 'open'],
    ['raises more false alarms', [0.2, 0.4], [0.5, 0.7], 'open', 'beaten'],
    ['raises fewer false alarms', [0, 0.01], [0.5, 0.7], 'open', 'ahead'],
    ['is worse in both', [0.2, 0.4], [0.1, 0.3], 'beaten', 'beaten'],
    ['pays for its changes with false alarms', [0.2, 0.4], [0.8, 0.9], 'open', 'open'],
    ['raises more false alarms, at a limit that finds many more', [0.2, 0.4], [0.55, 0.95], 'open', 'open'],
    [
      'finds fewer changes, at a limit that raises far fewer false alarms',
      [0, 0.06],
      [0.1, 0.3],
      'beaten',
      'open',
    ],
    ['cannot be told apart', [0.06, 0.2], [0.6, 0.8], 'open', 'open'],
  ])('that %s', (_, falseAlarms, power, onPower, onFalseAlarms) => {
    expect(rowOf(both(falseAlarms, power)).slice(0, 2)).toEqual([onPower, onFalseAlarms]);
  });

  it('that judges pairs has no standing in recorded runs without any', () => {
    const worse = both([0.2, 0.4], [0.1, 0.3]);
    expect(rowOf(worse, 'beside', 0).slice(0, 2)).toEqual(['no pairs', 'no pairs']);
    expect(rowOf(worse, 'beside', 6).slice(0, 2)).toEqual(['beaten', 'beaten']);
    expect(rowOf(worse, 'stored', 0).slice(0, 2)).toEqual(['beaten', 'beaten']);
  });

  it('is counted over the worlds, and those where it is not beaten are named', () => {
    const [, , power, falseAlarms, unbeaten] = rowOf(both([0.05, 0.1], [0.1, 0.3]));
    expect([power, falseAlarms]).toEqual(['beaten in 1 of 1', 'beaten in 0 of 1']);
    expect(unbeaten).toBe('False alarms open: steady machine.');
  });
});
