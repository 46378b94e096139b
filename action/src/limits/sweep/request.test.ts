import { describe, expect, it } from 'vitest';
import { input } from '../../../test/fakes/simulated-service.ts';
import { configSchema } from '../../model/config.ts';
import { requestedSweep, usualPasses } from './request.ts';
import { parseSet } from './variants.ts';

const config = configSchema.parse({
  ...input,
  sweeps: {
    pool: { cell: 'browse@few', set: { POOL: '1..3' } },
    both: { cell: 'browse@few', set: { MODE: 'x' }, variants: [{}, { A: '1', B: '2' }] },
  },
});
const asked = (
  named: string | undefined,
  more: { readonly scenario?: string; readonly set?: readonly string[] } = {},
) => requestedSweep(config, { named, scenario: more.scenario, variables: (more.set ?? []).map(parseSet) });

describe('a sweep', () => {
  it('is one of gate.yml, whose cell and values a request can replace', () => {
    expect(asked('pool')).toEqual({
      cell: 'browse@few',
      variants: [{ POOL: '1' }, { POOL: '2' }, { POOL: '3' }],
    });
    expect(asked('pool', { scenario: 'browse@many', set: ['POOL=5,6'] })).toEqual({
      cell: 'browse@many',
      variants: [{ POOL: '5' }, { POOL: '6' }],
    });
    expect(asked('both').variants).toEqual([{ MODE: 'x' }, { A: '1', B: '2', MODE: 'x' }]);
  });

  it('is a cell with values, the cell as argument or as --scenario', () => {
    const wanted = { cell: 'browse@few', variants: [{ POOL: '1' }, { POOL: '2' }] };
    expect(asked('browse@few', { set: ['POOL=1,2'] })).toEqual(wanted);
    expect(asked(undefined, { scenario: 'browse@few', set: ['POOL=1,2'] })).toEqual(wanted);
    expect(asked('browse@few', { scenario: 'browse@few', set: ['POOL=1,2'] })).toEqual(wanted);
  });

  it.each([
    [undefined, { set: ['POOL=1,2'] }, /E_SWEEP_CELL.*no load is named/],
    ['browse@few', { scenario: 'browse@many', set: ['POOL=1,2'] }, /E_SWEEP_CELL.*two loads/],
    ['browse@few', {}, /E_SWEEP_GRID.*nothing to compare/],
    ['browse@few', { set: ['POOL=7'] }, /E_SWEEP_GRID.*nothing to compare/],
    ['browse@few', { set: ['A=1..11', 'B=1..11'] }, /E_SWEEP_GRID.*121 combinations/],
    ['constructor', {}, /E_SWEEP_UNKNOWN.*"constructor"/],
  ])('is refused as %s with %j', (named, more, fault) => {
    expect(() => asked(named, more)).toThrow(fault);
  });

  it('boots few values more often, because two boots of two values give no interval', () => {
    expect([2, 3, 4, 6, 7, 10, 12].map(usualPasses)).toEqual([7, 4, 3, 3, 2, 2, 2]);
  });
});
