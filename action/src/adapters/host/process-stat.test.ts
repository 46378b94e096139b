import { describe, expect, it } from 'vitest';
import { parseStat } from './process-stat.ts';

describe('parseStat', () => {
  it('finds the fields after a command with spaces and parentheses', () => {
    const text =
      '4242 (a) b (c) S 17 4242 4242 0 -1 4194560 100 0 0 0 250 50 7 3 20 0 30 0 12345 1000000 2048 18446744073709551615';
    expect(parseStat(text)).toEqual({
      pid: 4242,
      name: 'a) b (c',
      state: 'S',
      parent: 17,
      session: 4242,
      cpuTicks: 310,
      startTime: '12345',
      rssPages: 2048,
    });
  });

  it('rejects text that is no stat line', () => {
    expect(parseStat('')).toBeUndefined();
  });
});
