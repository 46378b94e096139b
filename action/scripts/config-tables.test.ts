import { expect, it } from 'vitest';
import { z } from 'zod';
import { configTables } from './config-tables.ts';

const seconds = z
  .string()
  .regex(/^\d+(ms|s|m|h)$/)
  .transform(Number.parseFloat);
const share = z
  .string()
  .regex(/^\d+%$/)
  .transform((text) => Number.parseFloat(text) / 100);

function rowsOf(shape: z.core.$ZodShape): string[] {
  return configTables(z.strictObject(shape))
    .split('\n')
    .filter((line) => line.startsWith('| `'));
}

it('shows durations and percentages as they are written, defaults included', () => {
  expect(
    rowsOf({
      cap: seconds.default(300).describe('Longest wait.'),
      guard: seconds.default(3),
      most: share.default(0.25),
    }),
  ).toEqual([
    '| `cap` | duration | `5m` | Longest wait. |',
    '| `guard` | duration | `3s` | |',
    '| `most` | percentage | `25%` | |',
  ]);
});

it('shows the range of a number and which keys are required', () => {
  expect(rowsOf({ rounds: z.int().min(2).max(100), floor: z.number().min(0).optional() })).toEqual([
    '| `rounds` | integer, 2 to 100 | required | |',
    '| `floor` | number, at least 0 | | |',
  ]);
});

it('gives a section of its own to a key that holds others, with names for what the user names', () => {
  const text = configTables(
    z.strictObject({
      name: z.string(),
      suites: z.record(z.string(), z.strictObject({ cells: z.array(z.string()) })),
    }),
  );
  expect(text.indexOf('## Top level')).toBeLessThan(text.indexOf('## `suites`'));
  expect(text).toContain('| `suites.<suite>.cells` | list of texts | required | |');
});
