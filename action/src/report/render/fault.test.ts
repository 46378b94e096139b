import { describe, expect, it } from 'vitest';
import { defectText, faultText } from './fault.ts';

describe('a fault as text', () => {
  it('has code, place, cause, further causes, log and next step', () => {
    expect(
      faultText({
        code: 'E_CONFIG_KEY',
        kind: 'usage',
        place: 'perf/gate.yml:12:5',
        cause: 'unknown key "round" in suites.pr; did you mean `rounds`?\nperf/gate.yml:14:3: and another',
        nextStep: 'write `rounds` instead of "round"',
        logTail: ['first line', '\u001b[31mred\u001b[0m\r'],
      }),
    ).toBe(
      [
        'error[E_CONFIG_KEY] perf/gate.yml:12:5: unknown key "round" in suites.pr; did you mean `rounds`?',
        '  perf/gate.yml:14:3: and another',
        '  | first line',
        '  | red',
        '  next: write `rounds` instead of "round"',
        '',
      ].join('\n'),
    );
  });

  it('bounds the log', () => {
    const text = faultText({
      code: 'E_BOOT',
      kind: 'measurement',
      place: 'service',
      cause: 'it ended',
      nextStep: 'look at its log',
      logTail: Array.from({ length: 500 }, (_, index) => `${index} ${'x'.repeat(10_000)}`),
    });
    expect(text.split('\n')).toHaveLength(23);
    expect(text).toContain('| 499 x');
    expect(text.length).toBeLessThan(5000);
  });
});

it('prints a bug of the gate with its stack, safe for a terminal', () => {
  const error = new TypeError('x is not a function\u001b[2J');
  error.stack = `${error}\n    at check (src/entry/check.ts:1:2)`;
  expect(defectText(error)).toBe(
    [
      'error this is a bug in the gate, not in your service',
      '  | TypeError: x is not a function',
      '  | at check (src/entry/check.ts:1:2)',
      '  next: report it with the lines above',
      '',
    ].join('\n'),
  );
  expect(defectText('thrown as text')).toContain('  | thrown as text\n');
});
