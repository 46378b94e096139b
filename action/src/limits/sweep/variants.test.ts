import { describe, expect, it } from 'vitest';
import { gridOf, parseReplace, parseSet } from './variants.ts';

describe('parseSet', () => {
  it('reads ranges and lists', () => {
    expect(parseSet('POOL=9..11')).toEqual({ name: 'POOL', values: ['9', '10', '11'] });
    expect(parseSet('POOL=1..3,17, 50').values).toEqual(['1', '2', '3', '17', '50']);
    expect(parseSet('POOL=1, 5,5')).toEqual({ name: 'POOL', values: ['1', '5'] });
  });

  it.each(['POOL', '=1..2', 'POOL=', 'POOL=1,,2', 'POOL=a..b', 'POOL=5..1', 'POOL=1..', 'POOL=1..1000'])(
    'refuses %s',
    (text) => expect(() => parseSet(text)).toThrow('E_SWEEP_SET'),
  );
});

it('parseReplace reads an argument and what takes its place', () => {
  expect(parseReplace('-Xmx512m,-Xmx1g')).toEqual({ name: '-Xmx512m', values: ['-Xmx512m', '-Xmx1g'] });
  expect(() => parseReplace('-Xmx512m,')).toThrow('E_SWEEP_SET');
});

describe('gridOf', () => {
  it('combines several variables', () => {
    expect(gridOf([parseSet('A=1,2'), parseSet('B=x,y')])).toHaveLength(4);
  });

  it('refuses a single value', () => {
    expect(() => gridOf([parseSet('A=1')])).toThrow('nothing to compare');
  });
});
