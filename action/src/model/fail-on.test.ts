import { describe, expect, it } from 'vitest';
import { failOnSchema } from './fail-on.ts';

const all = 'regression, invalid, noise, undecided, coarse, not-compared';

describe('what fails a check', () => {
  it.each([
    ['regression', ['regression']],
    ['regression, invalid', ['regression', 'invalid']],
    ['regression,invalid', ['regression', 'invalid']],
    ['noise\n  undecided\r\n', ['noise', 'undecided']],
    ['coarse,\nnot-compared,', ['coarse', 'not-compared']],
    ['invalid, invalid', ['invalid']],
    [all, all.split(', ')],
    ['never', []],
    [' never\n', []],
  ])('%j', (text, words) => {
    expect([...failOnSchema.parse(text)]).toEqual(words);
  });

  const allowed = `expected never, or a list of ${all}`;
  it.each([
    ['', allowed],
    [' \n , ', allowed],
    ['error', allowed],
    ['regression invalid', allowed],
    ['Regression', allowed],
    ['pass', allowed],
    ['inconclusive', allowed],
    ['regression, slow', allowed],
    ['toString', allowed],
    ['never, regression', 'expected never alone, without other words'],
    ['noise\nnever', 'expected never alone, without other words'],
    ['never, never', 'expected never alone, without other words'],
    ['never, slow', 'expected never alone, without other words'],
  ])('is not %j', (text, message) => {
    const { error } = failOnSchema.safeParse(text);
    expect(error?.issues.map((issue) => issue.message)).toEqual([message]);
  });
});
