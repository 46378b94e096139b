import { describe, expect, it } from 'vitest';
import { gridOf } from '../../model/swept-values.ts';
import { parseReplace, parseSet } from './variants.ts';

describe('parseSet', () => {
  it('reads ranges and lists', () => {
    expect(parseSet('POOL=9..11')).toEqual({ name: 'POOL', values: ['9', '10', '11'] });
    expect(parseSet('POOL=1..3,17, 50').values).toEqual(['1', '2', '3', '17', '50']);
    expect(parseSet('POOL=1, 5,5')).toEqual({ name: 'POOL', values: ['1', '5'] });
    expect(parseSet('OPTIONS=--flush=1,--flush=2').values).toEqual(['--flush=1', '--flush=2']);
  });

  it.each([
    ['POOL', /name of a variable|before and after/],
    ['=1..2', /name of a variable/],
    ['A-B=1,2', /name of a variable/],
    ['POOL=', /before and after each comma/],
    ['POOL=1,,2', /before and after each comma/],
    ['POOL=a..b', /whole number on both sides/],
    ['POOL=1..', /whole number on both sides/],
    ['POOL=5..1', /ends where it starts/],
    ['POOL=1..1000', /at most 100 values/],
  ])('refuses %s', (text, cause) => {
    expect(() => parseSet(text)).toThrow('E_SWEEP_SET');
    expect(() => parseSet(text)).toThrow(cause);
  });
});

it('parseReplace reads an argument and what takes its place', () => {
  expect(parseReplace('-Xmx512m,-Xmx1g')).toEqual({ name: '-Xmx512m', values: ['-Xmx512m', '-Xmx1g'] });
  expect(() => parseReplace('-Xmx512m,')).toThrow('E_SWEEP_SET');
  expect(() => parseReplace('server.mjs,other.mjs')).toThrow('begins with a dash');
});

it('gridOf combines all values, the last variable changing fastest, with all variants', () => {
  const [a, b] = [parseSet('A=1,2'), parseSet('B=x,y')];
  expect(gridOf([a, b])).toEqual([
    { A: '1', B: 'x' },
    { A: '1', B: 'y' },
    { A: '2', B: 'x' },
    { A: '2', B: 'y' },
  ]);
  expect(gridOf([a], [{}, { C: '3' }])).toEqual([
    { A: '1' },
    { A: '2' },
    { A: '1', C: '3' },
    { A: '2', C: '3' },
  ]);
});

it('gridOf compares no value with itself', () => {
  expect(gridOf([{ name: 'A', values: ['5'] }], [{ A: '1' }, { A: '2' }])).toEqual([{ A: '5' }]);
  expect(gridOf([], [{}, {}])).toEqual([{}]);
});
