import { describe, expect, it } from 'vitest';
import { metric } from '../../../test/golden/verdict-builder.ts';
import { verdicts } from '../../../test/golden/verdicts.ts';
import type { SignalChange, Verdict } from '../../model/verdict.ts';
import { plainPhrase } from '../format/plain-text.ts';
import { headline } from './headline.ts';
import { likelyCauses } from './likely-cause.ts';
import { plainSentence } from './plain-sentence.ts';
import { regression } from './regression.ts';

const signal: SignalChange = {
  name: 'wait',
  title: 'wait for a connection per request',
  unit: 'ms',
  base: 7,
  head: 25,
  change: 18 / 7,
  limit: 3.5,
  moved: true,
  gate: 'suspect',
  failed: true,
  evidence: { score: 5, suspect: true, undecided: false },
  hint: 'The pool is too small.',
};
const queries: SignalChange = {
  ...signal,
  name: 'cpu',
  title: 'database CPU per request',
  head: 14,
  change: 1,
};
const { evidence, ...unproved } = { ...queries, gate: 'report', failed: false } as const;

/** A verdict of the examples, with these costs in the cells that regressed. */
function withCosts(name: string, ...costs: readonly SignalChange[]): Verdict {
  const verdict = verdicts[name];
  if (verdict === undefined) throw new Error(`no verdict is called ${name}`);
  const cells = verdict.cells.map((cell) =>
    cell.outcome === 'regression' ? { ...cell, signals: [...costs] } : cell,
  );
  return { ...verdict, cells };
}

describe('a measured cost that fails', () => {
  it('does not lead where a metric fails too, and is not its first explanation', () => {
    const { rest, because } = regression(withCosts('regression', signal, unproved));
    expect(rest).toMatch(/^: trip-edit@peak — p95 /);
    expect(because).toContain('database CPU per request 7.00 ms → 14.0 ms: The pool is too small.');
    expect(because.join()).not.toContain('wait for a connection');
  });

  it('leaves the lead to a counted cost', () => {
    const counted = { ...unproved, gate: 'fail', failed: true } as const;
    const { rest } = regression(withCosts('counted-costs', signal, counted));
    expect(rest).toContain('database CPU per request');
    expect(rest).not.toContain('wait');
  });

  it('leads where nothing else fails', () => {
    expect(regression(withCosts('measured-cost', signal)).rest).toMatch(
      /^: [a-z-]+ — wait for a connection per request 7\.00 ms → 25\.0 ms/,
    );
  });
});

describe('cells that were not re-measured', () => {
  const { regression: verdict } = verdicts;
  if (verdict?.comparison.kind !== 'stored') throw new Error('expected a comparison with stored runs');
  const [first, ...others] = verdict.cells;
  if (first === undefined) throw new Error('expected a cell');
  const { metrics } = verdict.cells.find(({ outcome }) => outcome === 'regression') ?? expect.unreachable();
  const slower = metrics.map((one) => ({ ...one, change: 2 * one.change }));
  const confirmed = {
    baseCommit: 'c0ffee'.repeat(7).slice(0, 40),
    cells: [{ name: 'a@peak', outcome: 'regression' as const }],
    spared: ['b@peak'],
  };
  const named = (scenario: string, more: Partial<typeof first>) => ({
    ...first,
    scenario,
    load: 'peak',
    outcome: 'regression' as const,
    ...more,
  });
  const spared = (...cells: readonly (typeof first)[]): Verdict => ({
    ...verdict,
    cells: [...cells, ...others.map((cell) => ({ ...cell, outcome: 'pass' as const }))],
    comparison: { ...verdict.comparison, confirmed } as typeof verdict.comparison,
  });
  const both = spared(named('a', { metrics }), named('b', { metrics: slower }));

  it('do not lead, however much worse they look', () => {
    expect(regression(both).rest).toMatch(/^: a@peak — p95 [^(]+$/);
    expect(plainPhrase(plainSentence(both, undefined).rest)).toContain(' of a at peak ');
  });

  it('are said to have been measured once, if what was re-measured is accepted', () => {
    const accepted = named('a', { outcome: 'accepted', metrics: [] });
    const open = metrics.map((one) => ({ ...one, outcome: 'undecided' as const }));
    const left = {
      ...spared(accepted, named('b', { outcome: 'undecided', metrics: open })),
      outcome: 'undecided',
    } as const;
    expect(headline(left).rest).toContain('one measurement is not enough to prove that');
    expect(plainPhrase(plainSentence(left, undefined).rest)).toContain('one measurement is not enough');
  });
});

it('calls a cost worse, and not higher, where less of it is worse', () => {
  const counted = { ...unproved, gate: 'fail', failed: true } as const;
  const hits = { ...counted, title: 'hits', base: 9, head: 4, change: -5 / 9, worse: 'lower' } as const;
  const wordOf = (cost: SignalChange) => plainSentence(withCosts('counted-costs', cost), undefined).word;
  expect([wordOf(hits), wordOf(counted)]).toEqual(['Worse', 'Costs more']);
  const accepted = verdicts['accepted-costs'] ?? expect.unreachable();
  const cells = accepted.cells.map((cell) => ({
    ...cell,
    signals: cell.signals.map((one) => ({ ...one, worse: 'lower' as const })),
  }));
  expect(plainSentence({ ...accepted, cells }, undefined).word).toBe('Worse, but accepted');
});

it('names counted costs too where a service that no longer answers leads', () => {
  const silent = verdicts['no-longer-answers'];
  if (silent === undefined) throw new Error('no example has a silent cell');
  const { cells } = withCosts('counted-costs', { ...unproved, gate: 'fail', failed: true });
  const { rest, because } = regression({ ...silent, cells: [...silent.cells, ...cells] });
  expect(rest).toContain('base works, but head does not');
  expect(because[0]).toMatch(/^also [a-z-]+ — database CPU per request 7\.00 ms → 14\.0 ms/);
});

it('leads with what users feel, even where CPU time is further beyond its limit', () => {
  const from = verdicts.regression;
  const slower = from?.cells.find(({ outcome }) => outcome === 'regression');
  if (from === undefined || slower === undefined) throw new Error('the example has no regression');
  const cpu = metric('serviceCpu', 0.2, 9, 0.1, { outcome: 'regression', provedWorse: true });
  const cells = [{ ...slower, metrics: [...slower.metrics, cpu] }];
  const { word, rest } = plainSentence({ ...from, cells }, undefined);
  expect(word).toBe('Slower');
  expect(rest.join('')).toContain('p95 response time');
});

describe('the endpoint that is named for slower times', () => {
  /** The example, with endpoints whose means grew by so much, and beyond the wait that they share. */
  const grown = (...growths: readonly (readonly [growthMs: number, beyondSharedMs: number])[]): Verdict => {
    const from = verdicts.regression;
    if (from === undefined) throw new Error('the example is missing');
    const endpoints = growths.map(([growthMs, beyondSharedMs], index) => ({
      name: `endpoint-${index}`,
      base: { meanMs: 6, p95Ms: 9, errorRate: 0 },
      head: { meanMs: 6 + growthMs, p95Ms: 20, errorRate: 0 },
      shareOfAddedTime: 1 / growths.length,
      beyondSharedMs,
      worse: [],
    }));
    return { ...from, cells: from.cells.map((cell) => ({ ...cell, endpoints })) };
  };
  const said = (verdict: Verdict) =>
    [...regression(verdict).because, ...likelyCauses(verdict).flat()].join(' ');

  it('is none where its growth is hardly more than that of the others', () => {
    // A gateway in front of the service, measured with five users.
    const all = said(grown([5.8, 1.1], [5.7, 1], [5.5, 0.8], [4.7, 0], [4.4, 0]));
    expect(all).toContain('all endpoints slowed alike');
    expect(all).toContain('slowed alike, so they wait for something they share');
  });

  it('is the one that a third of its growth sets apart', () => {
    const all = said(grown([7.5, 2.5], [5, 0], [5, 0], [4.8, 0]));
    expect(all).not.toContain('alike');
    expect(all).toContain('endpoint that slowed most: endpoint-0');
  });
});

describe('cells that are worse only together', () => {
  const base = verdicts.pass ?? expect.unreachable();
  const [cell, ...others] = base.cells;
  if (cell === undefined) throw new Error('the example has no cell');
  const { scenario, load } = cell;
  const burn = { frame: 'shop.platform.Burn.filter', caller: null, base: 0, head: 0.7 };
  const { evidence: _, ...rows } = {
    ...signal,
    name: 'rows',
    title: 'rows read per request',
    gate: 'fail',
  } as const;
  const together: Verdict = {
    ...base,
    outcome: 'regression',
    cells: [{ ...cell, signals: [signal, rows] }, ...others],
    groups: [
      {
        scenario,
        cells: [`${scenario}@${load}`],
        outcome: 'regression',
        metrics: [metric('tps', 1000, -0.06, 0.01, { outcome: 'regression' })],
      },
    ],
    codeChanges: [{ scenario, load, cpu: [burn], locks: [] }],
  };
  const said = (verdict: Verdict) => likelyCauses(verdict).map(plainPhrase);

  it('have their costs and methods as the cause', () => {
    expect(said(together)).toEqual([
      'Cost rows read per request 7.00 ms → 25.0 ms. The pool is too small.',
      "Method Burn.filter: 0% → 70% of the service's CPU.",
      'Cost wait for a connection per request 7.00 ms → 25.0 ms. The pool is too small.',
    ]);
  });

  it('explain nothing where they passed together', () => {
    const groups = together.groups.map((group) => ({ ...group, outcome: 'pass' as const }));
    expect(said({ ...together, groups })).toEqual([]);
    expect(said({ ...together, outcome: 'pass' })).toEqual([]);
  });

  it('come after a cell that is worse on its own', () => {
    const alone = verdicts.regression?.cells.find(({ outcome }) => outcome === 'regression');
    if (alone === undefined) throw new Error('no cell of the example regressed');
    const cells = [...together.cells, { ...alone, scenario: 'another' }];
    const texts = said({ ...together, cells });
    expect(texts[0]).toMatch(/^Endpoint .* in another@/);
    expect(texts.findIndex((text) => text.includes('Burn.filter'))).toBeGreaterThan(0);
  });

  it('list a cost that needs no evidence first, whichever cell has it', () => {
    const [one, two] = together.cells;
    if (one === undefined || two === undefined) throw new Error('the example has one cell');
    const waits = ['a', 'b', 'c'].map((name) => ({ ...signal, name, title: `wait ${name}` }));
    const cells = [
      { ...one, signals: waits, outcome: 'regression' as const },
      { ...two, signals: [rows], outcome: 'regression' as const },
    ];
    const costs = said({ ...together, cells, codeChanges: [] }).filter((text) => text.startsWith('Cost'));
    expect(costs.map((text) => text.split(' ').slice(1, 3).join(' '))).toEqual([
      'rows read',
      'wait a',
      'wait b',
    ]);
  });
});
