import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { withTolerances } from './set-tolerances.ts';

const wanted = { tps: 0.09, p95: 0.31 };
const percentages = { tps: '9%', p95: '31%' };

it.each([
  ['there are none', 'version: 1 # first\nsuites: { pr: { cells: [a@b] } }\n'],
  ['they are empty', 'version: 1 # first\ntolerances: {}\nsuites: { pr: { cells: [a@b] } }\n'],
  [
    'they are within brackets',
    'version: 1 # first\ntolerances: { p95: 40% } # why\nsuites: { pr: { cells: [a@b] } }\n',
  ],
  [
    'they are lines',
    'version: 1 # first\ntolerances:\n  # why\n  p95: 40% # so\nsuites: { pr: { cells: [a@b] } }\n',
  ],
])('sets tolerances where %s, and keeps the rest', (_, before) => {
  const after = withTolerances(before, wanted);
  expect(parse(after)).toEqual({ ...parse(before), tolerances: percentages });
  const comments = (text: string) => text.match(/#.*$/gm);
  expect(comments(after)).toEqual(comments(before));
  expect(withTolerances(after, wanted)).toBe(after);
});

it('keeps tolerances that it does not set', () => {
  const after = withTolerances('tolerances:\n  errorRate: 2%\n  tps: 12%\n', wanted);
  expect(after).toBe('tolerances:\n  errorRate: 2%\n  tps: 9%\n  p95: 31%\n');
});
