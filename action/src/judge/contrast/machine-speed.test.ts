import { describe, expect, it } from 'vitest';
import {
  type Costs,
  simulatedBlock,
  simulatedCell,
  simulatedOptions,
  simulatedUsage,
} from '../../../test/simulation/simulated-run.ts';
import type { MachinePart, RatioMetricName } from '../../model/metric.ts';
import type { Cell } from '../../model/run.ts';
import type { CellContrast, Match, RatioContrast, Setup } from './contrast.ts';
import { contrastMatches, withDoubts } from './machine-speed.ts';

const beside: Setup = { setting: 'same-machine', interleaved: true, machine: { cpuCount: 4 } };
const stored: Setup = { ...beside, interleaved: false };
const names = ['tps', 'serviceCpu', 'backingCpu'] as const;

/** Six blocks, on a machine of that speed that is up to 2% faster or slower in each of them. */
function cell(index: number, costs: Costs = {}, machine = 1): Cell {
  const blocks = [0.98, 1.01, 1.02, 0.99, 1, 1].map((factor, round) => {
    const speed = machine * factor;
    const tps = 500 * speed;
    const usual = { service: 1, generator: 1, backing: 1, ...costs };
    const slower = Object.fromEntries(Object.entries(usual).map(([part, cost]) => [part, cost / speed]));
    return { ...simulatedBlock(round, tps, 200 / speed), usage: simulatedUsage(tps, slower) };
  });
  return simulatedCell(index, blocks);
}

const matchOf = (index: number, costs?: Costs): Match => ({
  head: cell(index, costs),
  base: [cell(index)],
  history: [],
});

function contrastsOf(costs: readonly Costs[], setup: Setup): readonly CellContrast[] {
  const matches = costs.map((one, index) => matchOf(index, one));
  return [...contrastMatches(matches, setup, names, simulatedOptions.signals).values()];
}

function row(contrast: CellContrast | undefined, name: RatioMetricName): RatioContrast {
  const found = contrast?.find(({ metric }) => metric === name);
  if (found === undefined || !('worsening' in found)) throw new Error(`there is no ${name}`);
  return found;
}

/** The parts that serve for TPS in the first cell, with what is said against them. */
function judged(costs: Costs, setup = beside, others: readonly Costs[] = []) {
  const [contrast] = contrastsOf([costs, ...others], setup);
  const { yardstick, objection } = row(contrast, 'tps');
  return { yardstick, ...objection };
}

const all: readonly MachinePart[] = ['generator', 'backing'];

describe('a yardstick next to base', () => {
  it('is one that head did not move', () => {
    expect(judged({})).toEqual({ yardstick: all, cheaper: [], open: false });
    expect(judged({ service: 1.1 })).toEqual({ yardstick: all, cheaper: [], open: false });
  });

  it.each<[string, Costs, readonly MachinePart[], readonly MachinePart[]]>([
    ['a generator that needs less', { generator: 0.75 }, ['backing'], ['generator']],
    ['a generator that needs more', { generator: 1.3 }, ['backing'], []],
    ['backing services that need less', { backing: 0.7 }, ['generator'], ['backing']],
    ['backing services that need more', { backing: 1.4 }, ['generator'], []],
    ['parts that both need less', { generator: 0.8, backing: 0.8 }, [], all],
  ])('is none of %s', (_, costs, yardstick, cheaper) => {
    expect(judged(costs)).toEqual({ yardstick, cheaper, open: false });
  });

  it('is no part that head moved a little in all cells', () => {
    const little = { generator: 0.94 };
    expect(judged(little).yardstick).toContain('generator');
    expect(judged(little, beside, [little, little, little, little]).cheaper).toEqual(['generator']);
  });

  it('is what it was in blocks of different hours, where a faster machine looks the same', () => {
    expect(judged({ generator: 0.75, backing: 0.75 }, stored)).toEqual({
      yardstick: all,
      cheaper: [],
      open: false,
    });
  });
});

it('takes no part for wrong where only the speed of the machine contradicts it', () => {
  // So little CPU time of the generator is not counted.
  const idle = { generator: 0.001 };
  const base = Array.from({ length: 10 }, () => cell(0, idle));
  const match = { base, head: cell(0, idle, 0.5), history: [] };
  const [contrast] = contrastMatches([match], stored, names, simulatedOptions.signals).values();
  expect(row(contrast, 'tps').yardstick).toEqual(['backing']);
});

describe('doubts about a first measurement', () => {
  const of = (costs: Costs, setup: Setup) => contrastsOf([costs], setup)[0] ?? [];
  const doubtOn = (first: CellContrast, second: CellContrast, name: RatioMetricName = 'tps') =>
    row(withDoubts(second, first), name).doubt;
  const cheaper = { generator: 0.75, backing: 0.75 };

  it('there are none if nothing moved, or a part needs more, which makes head look better', () => {
    expect(doubtOn(of({}, stored), of({}, beside))).toBeUndefined();
    const dearer = { generator: 1.3, backing: 1.4 };
    expect(doubtOn(of(dearer, stored), of(dearer, beside))).toBeUndefined();
  });

  it('it was misled by a part that needs less', () => {
    expect(doubtOn(of(cheaper, stored), of(cheaper, beside))).toBe('misled');
    expect(doubtOn(of(cheaper, stored), of(cheaper, beside), 'backingCpu')).toBe('misled');
  });

  it('it may have been where the parts differ and nothing shows which of them moved', () => {
    const second = of({}, beside).map((one) =>
      'worsening' in one ? { ...one, objection: { cheaper: [], open: true } } : one,
    );
    expect(doubtOn(of({}, stored), second)).toBe('open');
    const raw = of({}, stored).map((one) => ('worsening' in one ? { ...one, yardstick: [] } : one));
    expect(doubtOn(raw, second)).toBeUndefined();
  });
});
