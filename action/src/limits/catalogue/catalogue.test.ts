import { describe, expect, it } from 'vitest';
import { verdicts } from '../../../test/golden/verdicts.ts';
import { type Catalogue, type CatalogueRow, catalogueSchema, isBad, isOpen } from '../../model/catalogue.ts';
import { Fault } from '../../model/fault.ts';
import type { Outcome, Verdict } from '../../model/verdict.ts';
import { type CataloguePort, catalogue, namedRegressions, requireKnownNames } from './catalogue.ts';
import { type Checked, rowOf } from './row-of.ts';

const example = verdicts.pass;
const cells = example?.cells.slice(0, 1) ?? [];

/** A verdict in which these cells and groups regressed. */
function verdictOf(
  outcome: Outcome,
  red: readonly string[] = [],
  groups: readonly (string | null)[] = [],
): Verdict {
  const names = ['trip-edit@peak', 'trip-browse@average', 'booking@ten'];
  return {
    ...(example as Verdict),
    outcome,
    cells: names.flatMap((name) => {
      const [scenario = '', load = ''] = name.split('@');
      const own: Outcome = red.includes(name) ? 'regression' : 'pass';
      return cells.map((cell) => ({ ...cell, scenario, load, outcome: own }));
    }),
    groups: groups.map((scenario) => ({
      scenario,
      cells: names.filter((name) => scenario === null || name.startsWith(scenario)),
      outcome: 'regression',
      metrics: [],
    })),
    seconds: 330,
  };
}

function checked(verdict: Verdict, ...said: string[]): Checked {
  return { kind: 'verdict', verdict, said, measuredAt: '2026-01-01T00:00:00.000Z', commit: 'a' };
}

function catalogueOf(regressions: unknown): Catalogue {
  return catalogueSchema.parse({ version: 1, regressions });
}

const wanted = {
  title: 'more statements',
  red: ['trip-edit'],
  green: ['booking'],
  cause: 'SQL statements per request',
};
const regressionOf = (more: object = {}) => {
  const { one } = catalogueOf({ one: { ...wanted, ...more } }).regressions;
  if (one === undefined) throw new Error('the catalogue lacks it');
  return one;
};
const said = 'trip-edit — sql STATEMENTS per request 1 → 2';

it('refuses a scenario or cell that the suite does not have', () => {
  const cell = { scenario: 'trip-edit', load: 'peak' };
  const require = (more: object) => () =>
    requireKnownNames({ name: 'one', regression: regressionOf(more) }, [cell], 'regressions.yml');
  expect(require({ red: ['trip-edit', 'trip-edit@peak'], green: ['*'] })).not.toThrow();
  for (const more of [
    { red: ['trip-edits'], green: [] },
    { red: ['trip-edit'], green: ['booking'] },
  ]) {
    expect(require(more)).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ code: 'E_CATALOGUE_CELL' }) }),
    );
  }
});

describe('a row of the catalogue', () => {
  it.each([
    ['caught', verdictOf('regression', ['trip-edit@peak']), [said]],
    ['caught', verdictOf('regression', [], ['trip-edit']), [said]],
    ['caught', verdictOf('regression', [], [null]), [said]],
    ['missed', verdictOf('coarse'), [said]],
    ['missed', verdictOf('pass'), []],
    ['wrong scenario', verdictOf('regression', ['trip-browse@average']), [said]],
    ['wrongly red', verdictOf('regression', ['trip-edit@peak', 'booking@ten']), [said]],
    ['wrong cause', verdictOf('regression', ['trip-edit@peak']), ['all endpoints slowed alike']],
    ['no answer', verdictOf('noise'), []],
    ['no answer', verdictOf('undecided'), [said]],
    ['no answer', verdictOf('invalid'), [said]],
  ] as const)('%s', (result, verdict, texts) => {
    expect(rowOf('one', regressionOf(), checked(verdict, ...texts))).toMatchObject({
      result,
      outcome: verdict.outcome,
      minutes: 5.5,
      commit: 'a',
      machine: { cpuModel: verdict.fingerprint.cpuModel },
    });
  });

  it.each([
    [{ red: ['trip-edit@peak'] }, 'caught'],
    [{ red: ['trip-edit@average'] }, 'wrong scenario'],
    [{ red: ['*'], green: [] }, 'caught'],
    [{ red: ['trip-edit', 'trip-browse'] }, 'wrong scenario'],
    [{ red: ['trip'] }, 'wrong scenario'],
    [{ cause: ['rows read', 'statements'] }, 'caught'],
    [{ cause: ['statement', 'ments per request'] }, 'wrong cause'],
  ])('%j is %s', (more, result) => {
    const row = rowOf('one', regressionOf(more), checked(verdictOf('regression', ['trip-edit@peak']), said));
    expect(row.result).toBe(result);
  });

  it.each([
    [['trip-edit', 'trip-browse'], ['trip-browse@average'], 'caught'],
    [['trip-edit', 'trip-browse'], ['booking@ten'], 'wrong scenario'],
    // What must turn red cannot only look worse.
    [['trip-browse'], ['trip-browse@average'], 'wrong scenario'],
  ])('with %j to turn red and %j not re-measured is %s', (red, spared, result) => {
    const verdict = verdictOf('regression', ['trip-edit@peak']);
    const confirmed = {
      baseCommit: 'abc',
      cells: [{ name: 'trip-edit@peak', outcome: 'regression' }],
      spared,
    };
    const comparison = { ...verdict.comparison, kind: 'stored', confirmed } as Verdict['comparison'];
    const row = rowOf('one', regressionOf({ red }), checked({ ...verdict, comparison }, said));
    expect(row).toMatchObject({ result, red: ['trip-edit@peak'], spared });
  });

  it.each([
    [verdictOf('pass'), 'as expected'],
    [verdictOf('coarse'), 'as expected'],
    [verdictOf('regression', ['booking@ten']), 'wrongly red'],
    [verdictOf('regression', ['trip-edit@peak']), 'wrongly red'],
    [verdictOf('noise'), 'no answer'],
  ] as const)('that is to pass, %#: %s', (verdict, result) => {
    const passing = regressionOf({ expect: 'pass', red: [], cause: [], because: 'a check is too short.' });
    expect(rowOf('one', passing, checked(verdict))).toMatchObject({
      result,
      because: 'a check is too short.',
    });
  });

  it('that is to be invalid has the code of the reason', () => {
    const cold = regressionOf({ expect: 'invalid', red: [], cause: 'I_WARM_UP', because: 'it is cold.' });
    const invalid = verdictOf('invalid');
    const reason = (code: string) => ({
      ...invalid,
      invalid: [{ code, cause: 'too short', nextStep: 'wait' }],
    });
    expect(rowOf('one', cold, checked(reason('I_WARM_UP')))).toMatchObject({
      result: 'as expected',
      cause: 'I_WARM_UP',
    });
    expect(rowOf('one', cold, checked(reason('I_OOM')))).toMatchObject({
      result: 'wrong cause',
      cause: 'I_OOM',
    });
    expect(rowOf('one', cold, checked(verdictOf('pass')))).toMatchObject({ result: 'no answer' });
  });

  it('names a cause by whole words, wherever they are', () => {
    const result = (text: string, cause: string) =>
      rowOf('one', regressionOf({ cause }), checked(verdictOf('regression', ['trip-edit@peak']), text))
        .result;
    expect(result('endpoint that slowed most: trip-detail (+2 ms)', 'Tail')).toBe('wrong cause');
    expect(result('endpoint that slowed most: tail-list (+2 ms)', 'Tail')).toBe('wrong cause');
    expect(result('waits longer in Tail.doFilterInternal', 'Tail')).toBe('caught');
    expect(result('conflicts (409) per request 0 → 1', 'conflicts (409) per request')).toBe('caught');
  });

  it('does not take cells that only count costs for red with all others', () => {
    const verdict = verdictOf('regression', [], [null]);
    const timed = verdict.groups.map((group) => ({
      ...group,
      cells: group.cells.filter((name) => name !== 'booking@ten'),
    }));
    const row = (red: string) =>
      rowOf('one', regressionOf({ red: [red], green: [] }), checked({ ...verdict, groups: timed }, said));
    expect(row('booking').result).toBe('wrong scenario');
    expect(row('trip-browse').result).toBe('caught');
    const alone = verdictOf('regression', ['trip-edit@peak'], [null]);
    const both = regressionOf({ red: ['trip-edit', 'trip-browse'], green: [] });
    expect(rowOf('one', both, checked(alone, said)).result).toBe('wrong scenario');
  });

  it('takes a red scenario for red in all of its cells', () => {
    const verdict = verdictOf('regression', [], ['trip-edit']);
    const row = (red: string) =>
      rowOf('one', regressionOf({ red: [red], green: [] }), checked(verdict, said));
    expect(row('trip-edit@peak').result).toBe('caught');
    expect(row('trip-browse').result).toBe('wrong scenario');
  });

  it('shows what the verdict says if it does not name the cause', () => {
    const row = rowOf(
      'one',
      regressionOf(),
      checked(verdictOf('regression', ['trip-edit@peak']), 'p95 +40%', 'else'),
    );
    expect(row).toMatchObject({ cause: 'p95 +40%', why: 'the verdict names p95 +40%' });
  });

  it('is bad if the gate was wrong, and open if it said nothing', () => {
    const rowed = (outcome: Outcome) => rowOf('one', regressionOf(), checked(verdictOf(outcome), said));
    expect([isBad(rowed('pass')), isOpen(rowed('pass'))]).toEqual([true, false]);
    expect([isBad(rowed('noise')), isOpen(rowed('noise'))]).toEqual([false, true]);
  });
});

it.each([
  ['red', { ...wanted, red: [] }],
  ['cause', { ...wanted, cause: [] }],
  ['because', { title: 'nothing', expect: 'pass' }],
  ['cause', { title: 'cold', expect: 'invalid', because: 'so' }],
  ['suite', { ...wanted, suite: '' }],
])('a regression needs its %s', (key, one) => {
  const paths = catalogueSchema
    .safeParse({ version: 1, regressions: { one } })
    .error?.issues.map(({ path }) => path.at(-1));
  expect(paths).toEqual([key]);
});

describe('the catalogue', () => {
  const three = catalogueOf({ one: wanted, two: wanted, three: { ...wanted, suite: 'full' } });

  /** A port whose patches turn trip-edit red, with the names that it keeps and refuses. */
  function portOf({
    kept = {},
    faults = {},
  }: {
    kept?: Record<string, Checked>;
    faults?: Record<string, Error>;
  } = {}) {
    const steps: string[] = [];
    const port: CataloguePort = {
      kept: async ({ name }) => kept[name],
      storeBaseline: async (suite) => void steps.push(`baseline ${suite}`),
      check: async ({ name }) => {
        steps.push(`check ${name}`);
        if (faults[name] !== undefined) throw faults[name];
        return {
          checked: checked(verdictOf('regression', ['trip-edit@peak']), said),
          keep: async () => void steps.push(`keep ${name}`),
        };
      },
      note: (text) => void steps.push(text),
    };
    return { port, steps };
  }
  const run = async (port: CataloguePort, { again = false } = {}) => {
    const rows: CatalogueRow[] = [];
    await catalogue(namedRegressions(three, [], 'file'), { again }, port, rows);
    return rows.map(({ name, result }) => `${name}: ${result}`);
  };

  it('stores a baseline and checks, one patch after the other', async () => {
    const { port, steps } = portOf();
    expect(await run(port)).toEqual(['one: caught', 'two: caught', 'three: caught']);
    expect(steps).toEqual([
      'baseline pr',
      'check one',
      'keep one',
      '1 of 3, one: caught',
      'baseline pr',
      'check two',
      'keep two',
      '2 of 3, two: caught',
      'baseline full',
      'check three',
      'keep three',
      '3 of 3, three: caught',
    ]);
  });

  it('keeps what was checked before, unless it had no answer or is to be checked again', async () => {
    const kept = { one: checked(verdictOf('pass')), two: checked(verdictOf('noise')) };
    const { port, steps } = portOf({ kept });
    expect(await run(port)).toEqual(['one: missed', 'two: caught', 'three: caught']);
    expect(steps.filter((step) => step.startsWith('check'))).toEqual(['check two', 'check three']);
    expect(await run(portOf({ kept }).port, { again: true })).toEqual([
      'one: caught',
      'two: caught',
      'three: caught',
    ]);
  });

  it('goes on after a patch that does not apply, compile or answer', async () => {
    const details = { code: 'E_BUILD', kind: 'usage', place: 'mvn', nextStep: 'fix it' } as const;
    const fault = new Fault({
      ...details,
      cause: 'the command ended with exit code 1',
      logTail: ['COMPILATION ERROR', '', 'Burn.java: no', ''],
    });
    const { port, steps } = portOf({ faults: { two: fault } });
    expect(await run(port)).toEqual(['one: caught', 'two: failed', 'three: caught']);
    expect(steps.filter((step) => step.includes('two'))).toEqual([
      'check two',
      'two, log: COMPILATION ERROR',
      'two, log: Burn.java: no',
      '2 of 3, two: failed, the command ended with exit code 1 (E_BUILD): Burn.java: no',
    ]);
  });

  it('ends with anything else, and leaves the rows so far', async () => {
    const { port } = portOf({ faults: { two: new Error('stopped') } });
    const rows: CatalogueRow[] = [];
    const work = catalogue(namedRegressions(three, [], 'file'), { again: false }, port, rows);
    await expect(work).rejects.toThrow('stopped');
    expect(rows.map(({ name }) => name)).toEqual(['one']);
  });

  it('ends if the code without a patch cannot be stored as a baseline', async () => {
    const details = { code: 'E_CATALOGUE_BASELINE', kind: 'measurement', place: 'suite pr' } as const;
    const fault = new Fault({ ...details, cause: 'its run is invalid', nextStep: 'see why' });
    const { port } = portOf();
    await expect(run({ ...port, storeBaseline: () => Promise.reject(fault) })).rejects.toBe(fault);
  });

  it('ends if a result cannot be kept, which is not the fault of the patch', async () => {
    const details = { code: 'E_RESULTS_WRITE', kind: 'measurement', place: 'rows' } as const;
    const fault = new Fault({ ...details, cause: 'the disk is full', nextStep: 'make room' });
    const { port, steps } = portOf();
    const keepsNothing = async (one: Parameters<CataloguePort['check']>[0]) => ({
      ...(await port.check(one)),
      keep: () => Promise.reject(fault),
    });
    await expect(run({ ...port, check: keepsNothing })).rejects.toBe(fault);
    expect(steps).toEqual(['baseline pr', 'check one']);
  });

  it('takes the named ones in its own order, and refuses a name that it lacks', () => {
    expect(namedRegressions(three, ['three', 'one'], 'file').map(({ name }) => name)).toEqual([
      'one',
      'three',
    ]);
    expect(() => namedRegressions(three, ['four'], 'perf/regressions.yml')).toThrow(
      'E_CATALOGUE_NAME perf/regressions.yml: it has no regression "four"',
    );
  });
});
