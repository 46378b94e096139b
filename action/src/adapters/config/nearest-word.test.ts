import { describe, expect, it } from 'vitest';
import { editDistance, nearestWord } from './nearest-word.ts';

describe('the nearest word', () => {
  it('counts edits', () => {
    expect(editDistance('kitten', 'sitting')).toBe(3);
    expect(editDistance('', 'abc')).toBe(3);
    expect(editDistance('rounds', 'ruonds')).toBe(1);
    expect(editDistance('same', 'same')).toBe(0);
  });

  it('is offered only if it is near', () => {
    expect(nearestWord('round', ['rounds', 'guard', 'counted'])).toBe('rounds');
    expect(nearestWord('warmup', ['warmUp', 'name'])).toBe('warmUp');
    expect(nearestWord('retries', ['rounds', 'guard', 'counted'])).toBeUndefined();
    expect(nearestWord('x'.repeat(1_000_000), ['rounds'])).toBeUndefined();
  });
});
