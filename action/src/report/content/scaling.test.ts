import { describe, expect, it } from 'vitest';
import type { SweptVariant } from '../../model/sweep.ts';
import { scalingSentence } from './scaling.ts';

function measured(instances: number, change: number, usedCpu = 0.7): SweptVariant {
  return {
    values: { instances: String(instances) },
    boots: [{ tps: 100, p95Ms: 10, errorRate: 0, serviceCpu: 0.3, usedCpu, invalid: [] }],
    contrast: { change, low: change - 0.05, high: change + 0.05, asGood: false },
  };
}

const sentence = (variants: readonly SweptVariant[], best: number, figure: 'tps' | 'p95' = 'tps') =>
  scalingSentence({ variants, best, figure }, ['instances']);

describe('the sentence about instances', () => {
  it('compares the best with the fewest', () => {
    expect(sentence([measured(1, -0.45), measured(2, 0)], 1)).toBe(
      '2 instances answer 1.82 times as many requests as 1 [1.67, 2.00].',
    );
    expect(sentence([measured(4, -0.1), measured(2, 0), measured(1, -0.4)], 1)).toMatch(
      /^2 instances answer 1.67 times as many requests as 1 /,
    );
  });

  it('compares the most with the fewest if those are best, and says what is used up', () => {
    expect(sentence([measured(1, 0), measured(2, -0.1, 0.96)], 0)).toBe(
      '2 instances answer 0.90 times as many requests as 1 [0.85, 0.95]. 96% of all CPU was in use, so there was none for more.',
    );
  });

  it('is none for another question, or without a comparison', () => {
    expect(sentence([measured(1, -0.45), measured(2, 0)], 1, 'p95')).toBeUndefined();
    const variants = [measured(1, -0.45), measured(2, 0)];
    expect(scalingSentence({ variants, best: 1, figure: 'tps' }, ['instances', 'POOL'])).toBeUndefined();
    expect(scalingSentence({ variants, figure: 'tps' }, ['instances'])).toBeUndefined();
    const { contrast: _, ...left } = measured(1, 0);
    expect(sentence([left, measured(2, 0)], 1)).toBeUndefined();
  });
});
