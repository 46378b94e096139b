import { describe, expect, it } from 'vitest';
import { type CatalogueReport, type CatalogueRow, catalogueSchema } from '../../src/model/catalogue.ts';
import { catalogueFinding } from '../../src/report/content/catalogue.ts';
import { plainPaint } from '../../src/report/format/paint.ts';
import { displayWidth } from '../../src/report/format/text-layout.ts';
import { findingPage, findingText } from '../../src/report/render/finding.ts';
import { keptCatalogueText } from '../../src/report/render/kept-catalogue.ts';
import { expectHarmless } from './harmless-page.ts';

const caught: CatalogueRow = {
  name: 'email-look-up',
  title: 'a token holds the e-mail, and each request asks the database whose it is',
  story: '4: the e-mail is searched per request instead of a Redis key',
  suite: 'pr',
  expect: 'regression',
  result: 'caught',
  outcome: 'regression',
  wanted: ['trip-edit', 'plan-edit', 'trip-browse'],
  red: ['trip-edit@average', 'trip-edit@peak', 'plan-edit@average', 'trip-browse@peak'],
  cause: 'SQL statements per request',
  minutes: 4.25,
  measuredAt: '2026-01-01T00:05:00.000Z',
};
const complete: CatalogueReport = {
  schema: 1,
  id: '20260101-000000-abcdef',
  startedAt: '2026-01-01T00:00:00.000Z',
  commit: '0123456789abcdef0123456789abcdef01234567',
  machine: { cpuModel: 'A processor', cpuCount: 2, memoryGiB: 4 },
  rows: [
    caught,
    {
      name: 'leak-list',
      title: 'a list keeps 1 kB of each request',
      suite: 'pr',
      expect: 'pass',
      result: 'as expected',
      outcome: 'coarse',
      wanted: [],
      red: [],
      because: 'a check is too short to fill the heap.',
      minutes: 5.5,
      measuredAt: '2026-01-01T00:10:00.000Z',
    },
  ],
  left: 0,
};
const cases: Readonly<Record<string, CatalogueReport>> = {
  complete,
  wrong: {
    ...complete,
    rows: [
      ...complete.rows,
      {
        ...caught,
        name: 'burn-5',
        result: 'missed',
        outcome: 'coarse',
        wanted: ['*'],
        red: [],
        why: 'the outcome is coarse',
      },
      {
        ...caught,
        name: 'wait-5',
        result: 'wrong cause',
        wanted: ['*'],
        red: ['*'],
        cause: 'all 6 cells together — TPS -5% [-7, -3], limit -6%, and more words than a table has room for',
        why: 'the verdict names all 6 cells together — TPS -5% [-7, -3], limit -6%',
      },
    ],
  },
  partial: {
    ...complete,
    rows: [
      caught,
      {
        name: 'tail',
        title: 'one of a hundred requests waits for 200 ms',
        suite: 'pr',
        expect: 'regression',
        result: 'failed',
        wanted: ['trip-browse@average'],
        red: [],
        why: 'the patch does not apply: error: patch failed: app/Tail.java:1 (E_CATALOGUE_APPLY)',
      },
    ],
    left: 24,
    partial: 'SIGINT',
  },
};

const options = { command: './gate catalogue', pages: '.perf-gate/catalogue/NAME.html' };

describe.each(Object.entries(cases))('a catalogue, %s', (name, given) => {
  it.each([80, 120])('as text, %i columns', async (width) => {
    const text = findingText(catalogueFinding(given, options), { width, paint: plainPaint });
    for (const line of text.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(width);
    await expect(text).toMatchFileSnapshot(`catalogue/${name}-${width}.txt`);
  });

  it('as a page', () => {
    const page = findingPage(catalogueFinding(given, options));
    expectHarmless(page, []);
    expect(page).toContain('email-look-up');
  });
});

it('kept next to the patches is a table of what was checked, with what was not', async () => {
  const red = { title: 'waits', red: ['trip-edit'], cause: 'locks' };
  const regressions = {
    'lock-2ms': red,
    tail: red,
    cold: { title: 'cold', expect: 'invalid', cause: 'I', because: 'so' },
  };
  const catalogue = catalogueSchema.parse({ version: 1, regressions });
  const found = {
    minutes: 8.4,
    measuredAt: '2026-01-01T00:05:00.000Z',
    commit: complete.commit,
    machine: complete.machine,
  };
  const text = keptCatalogueText(catalogue, {
    schema: 1,
    results: {
      'lock-2ms': {
        ...found,
        result: 'caught',
        outcome: 'regression',
        red: ['trip-edit@peak'],
        spared: ['trip-edit@average', 'trip-browse@peak'],
        cause: 'locks',
      },
      cold: { ...found, result: 'as expected', outcome: 'invalid', red: [] },
    },
  });
  await expect(`${text}\n`).toMatchFileSnapshot('catalogue/kept.txt');
  expect(keptCatalogueText(catalogue, { schema: 1, results: {} })).toBe(
    'Nothing was checked.\n\nNot checked yet: lock-2ms, tail, cold.',
  );
});
