import { expect, it } from 'vitest';
import { calibrate } from './calibration.ts';
import { errorOf, type Pair, pairedLogRatios } from './log-ratio.ts';
import { studentTail } from './student-t.ts';

/*
 * A check of one cell, where no other cell can vouch for its variances: nothing may count twice.
 */

// Student's sleep data (1908), as R's `sleep` has it.
const sleep = {
  first: [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2],
  second: [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4],
};
const nothing = { variance: 0, df: 1e-9 };

it('knows an expectation no better for having asked a cell that has nothing to say', () => {
  const expected = { variance: 0.01, df: 4 };
  const { blocks } = calibrate([[[0]]], { block: expected, boot: expected, run: expected });
  expect(blocks).toEqual([expected]);
});

it('knows the blocks of two runs with the degrees of freedom of the pooled t test', () => {
  const { blocks } = calibrate([[sleep.first, sleep.second]], {
    block: { variance: 1, df: 1e-9 },
    boot: nothing,
    run: nothing,
  });
  // R: t.test(extra ~ group, data = sleep, var.equal = TRUE): df = 18.
  expect(blocks[0]?.variance).toBeCloseTo(3.604778, 5);
  expect(blocks[0]?.df).toBeCloseTo(18, 6);
});

it('has the p value of the paired t test where nothing was known before', () => {
  const pairs = sleep.first.map((value, index): Pair => [value, sleep.second[index] ?? 0]);
  const [ratio] = pairedLogRatios([pairs], {
    blocks: [{ variance: 1, df: 1e-9 }],
    boot: nothing,
    run: nothing,
  });
  if (ratio === undefined) throw new Error('no ratio');
  const { variance, df } = errorOf(ratio);
  // R: t.test(sleep$extra[11:20], sleep$extra[1:10], paired = TRUE): t = 4.0621, df = 9, p = 0.002833.
  expect(df).toBeCloseTo(9, 6);
  expect(2 * studentTail(ratio.estimate / Math.sqrt(variance), df)).toBeCloseTo(0.002833, 6);
});

it('counts what boots differ by once', () => {
  const calm = { variance: 1e-12, df: 1e9 };
  // Runs differ by a variance of 0.01, of which boots are known to be 0.004.
  const { boot, run } = calibrate([[[0], [0.1], [0.2]]], {
    block: calm,
    boot: { variance: 0.004, df: 1e9 },
    run: { variance: 0, df: 1e-9 },
  });
  expect(boot.variance + run.variance).toBeCloseTo(0.01, 6);
});
