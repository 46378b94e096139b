import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { configLines } from '../../src/adapters/config/lines.ts';
import type { Verdict } from '../../src/model/verdict.ts';
import { type AnnotationOptions, annotations, mostAnnotations } from '../../src/report/render/annotations.ts';
import { reason } from './verdict-builder.ts';
import { verdicts } from './verdicts.ts';

const config = `version: 1
scenarios:
  trip-edit:
    loads:
      average: { vus: 130 }
      peak: { vus: 510 }
  plan-edit:
    loads:
      peak: { vus: 1200 }
suites:
  pr:
    cells: [trip-edit@average, trip-edit@peak, plan-edit@peak]
`;

const options: AnnotationOptions = {
  command: './gate check',
  recording: { kind: 'push', branch: 'main' },
  configPath: 'perf/gate.yml',
  before: { error: 0, warning: 0, notice: 0 },
  locate: configLines(config, 'perf/gate.yml', 'pr'),
};

function fixture(name: string): Verdict {
  const verdict = verdicts[name];
  if (verdict === undefined) throw new Error(`no verdict is called ${name}`);
  return verdict;
}

function countOfLevel(verdict: Verdict, level: string): number {
  return annotations(verdict, options).filter((annotation) => annotation.level === level).length;
}

describe('annotations', () => {
  for (const name of Object.keys(verdicts)) {
    it(name, async () => {
      const text = JSON.stringify(annotations(fixture(name), options), null, 2);
      await expect(`${text}\n`).toMatchFileSnapshot(`annotations/${name}.json`);
    });
  }

  it.each(['pass', 'first-run', 'not-asked', 'improvement'])('are none for %s', (name) => {
    expect(annotations(fixture(name), options)).toEqual([]);
  });

  it('point to the load of their cell', () => {
    const [first] = annotations(fixture('regression'), options);
    expect(first).toMatchObject({ level: 'error', file: 'perf/gate.yml', line: 6 });
  });

  it('name a measured cost that fails a cell, though a metric of another cell leads', () => {
    const verdict = fixture('regression');
    const wait = fixture('measured-cost').cells.flatMap(({ signals }) =>
      signals.filter(({ failed }) => failed),
    );
    const cells = verdict.cells.map((cell) =>
      cell.outcome === 'pass' ? { ...cell, outcome: 'regression' as const, signals: wait } : cell,
    );
    const passed = verdict.cells.filter(({ outcome }) => outcome === 'pass').length;
    const named = annotations({ ...verdict, cells }, options).filter(
      ({ level, message }) => level === 'error' && message.startsWith('wait for a connection per request'),
    );
    expect([passed > 0, named.length]).toEqual([true, passed]);
  });

  it('have no place if their cell cannot be located', () => {
    const [first] = annotations(fixture('regression'), { ...options, locate: () => undefined });
    expect(Object.keys(first ?? {})).toEqual(['level', 'title', 'message']);
  });

  it('are limited to ten per level, and the last one counts the rest', () => {
    const [worst] = fixture('truncated').cells;
    if (worst === undefined) throw new Error('the fixture has no such cell');
    const cells = Array.from({ length: 40 }, (_, index) => ({ ...worst, scenario: `service-${index}` }));
    const verdict = { ...fixture('truncated'), cells };
    expect(countOfLevel(verdict, 'error')).toBe(mostAnnotations);
    expect(annotations(verdict, options).at(-1)?.title).toBe('31 more annotations left out');
    expect(countOfLevel({ ...verdict, cells: cells.slice(0, 10) }, 'error')).toBe(10);
  });

  it.each([
    [3, 7, '74 more annotations left out'],
    [9, 1, '80 more annotations left out'],
    [10, 0, undefined],
    [12, 0, undefined],
  ])('leave room for %i earlier warnings of the same step', (warning, shown, last) => {
    const [cell] = fixture('undecided').cells.filter(({ outcome }) => outcome === 'undecided');
    const [slow] = fixture('regression').cells.filter(({ outcome }) => outcome === 'regression');
    if (cell === undefined || slow === undefined) throw new Error('the fixture has no such cell');
    const many = Array.from({ length: 40 }, (_, index) => ({ ...cell, scenario: `service-${index}` }));
    const worst = Array.from({ length: 10 }, (_, index) => ({ ...slow, scenario: `slow-${index}` }));
    const all = annotations(
      { ...fixture('regression'), cells: [...worst, ...many] },
      { ...options, before: { error: 0, warning, notice: 0 } },
    );
    const warnings = all.filter(({ level }) => level === 'warning');
    expect(warnings).toHaveLength(shown);
    expect(warnings.at(-1)?.title).toBe(last);
    // Errors have their own limit, which the earlier warnings do not use up.
    expect(all.filter(({ level }) => level === 'error')).toHaveLength(10);
  });

  it('stay short and free of control characters with any names', () => {
    const name = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.constantFrom('\u202etxt', 'a\r\n::error::x', '%0A::set-output', 'x'.repeat(10_000)),
    );
    fc.assert(
      fc.property(name, name, (one, other) => {
        const base = fixture('regression-and-invalid');
        const verdict = {
          ...base,
          invalid: [reason(one, other, one)],
          cells: base.cells.map((cell) => ({
            ...cell,
            scenario: one,
            load: other,
            signals: cell.signals.map((signal) => ({ ...signal, title: one, hint: other })),
            invalid: cell.invalid.map(() => reason(other, one, other)),
          })),
        };
        for (const { title, message } of annotations(verdict, options)) {
          expect(title.length).toBeLessThan(700);
          expect(message.length).toBeLessThan(1300);
          expect(title).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
          expect(message.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
        }
      }),
    );
  });
});
