import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { historyOf } from '../../src/judge/history/history.ts';
import type { Pin } from '../../src/model/pin.ts';
import type { Run } from '../../src/model/run.ts';
import { style, styleHash } from '../../src/report/format/html-style.ts';
import { plainPaint } from '../../src/report/format/paint.ts';
import { displayWidth } from '../../src/report/format/text-layout.ts';
import { type BadgeState, badgeJson, badgeSvg, badges } from '../../src/report/render/badge.ts';
import { renderHistory } from '../../src/report/render/history-page.ts';
import { largestPageBytes } from '../../src/report/render/page.ts';
import {
  storedRunsJson,
  storedRunsOf,
  storedRunsText,
  storedRunText,
} from '../../src/report/render/stored-runs.ts';
import { buildRun } from '../contract/run-builder.ts';
import { expectHarmless } from './harmless-page.ts';
import { hostileName } from './hostile-names.ts';
import { attribute, HtmlTree } from './html-tree.ts';

const limits = { tolerances: { p95: 0.25, tps: 0.1, errorRate: 0.01 }, floors: {}, signals: {} };
const options = {
  name: 'trips',
  sentence: 'the newest run of suite pr: Pass',
  state: 'pass',
  place: 'branch perf-gate-baseline of origin',
} as const;
const noise = [0.99, 1.02, 1, 0.98, 1.01, 1.03, 0.97];

/** Runs whose p95 becomes 15% longer in the middle, with that many cells. */
function runs(count: number, cells = 1, name = 'trip-edit'): readonly Run[] {
  return Array.from({ length: count }, (_, index) => {
    const run = buildRun(index);
    const factor = (index < count / 2 ? 1 : 1.15) * (noise[index % 7] ?? 1);
    const [cell] = run.cells;
    return {
      ...run,
      cells: Array.from({ length: cells }, (__, number) => ({
        ...(cell ?? { load: '', vus: 1 }),
        scenario: number === 0 ? name : `${name}-${number}`,
        blocks: (cell?.blocks ?? []).map((block) => ({
          ...block,
          latency: { ...block.latency, p95Ms: block.latency.p95Ms * factor },
          usage: { ...block.usage, service: { cpuShare: 0.3 * factor, rssBytes: 1 } },
        })),
      })),
    };
  });
}

function pinned(run: Run | undefined, name: string): readonly Pin[] {
  return run === undefined ? [] : [{ schema: 1, name, pinnedAt: '2026-02-01T00:00:00.000Z', run }];
}

const twenty = runs(20);

describe('the history page', () => {
  it.each([
    ['no-run', [], []],
    ['one-run', runs(1), []],
    ['twenty-runs', twenty, pinned(twenty[6], 'v1.0.0')],
  ])('%s', async (name, stored, pins) => {
    const page = renderHistory(historyOf(stored, pins, limits), options);
    expectHarmless(page, []);
    await expect(page.replace(style, '').replace(styleHash, 'sha256')).toMatchFileSnapshot(
      `html/history-${name}.html`,
    );
  });

  it('gives the tables of two machines different names', () => {
    const other = runs(4).map((run) => ({
      ...run,
      id: `${run.id}-other`,
      startedAt: run.startedAt.replace('2026', '2025'),
      fingerprint: { ...run.fingerprint, k6: '2.1.0' },
    }));
    const page = renderHistory(historyOf([...other, ...runs(4)], [], limits), options);
    const labels = new HtmlTree(page).named('section').map((section) => attribute(section, 'aria-label'));
    expect(labels.length).toBe(2);
    expect(new Set(labels).size).toBe(2);
  });

  it('stays small with 1,000 runs of 12 cells', { timeout: 60_000 }, () => {
    const page = renderHistory(historyOf(runs(1000, 12), [], limits), options);
    expect(Buffer.byteLength(page)).toBeLessThan(largestPageBytes);
    expect(page).toContain('the newest 250 of 1,000 runs');
    new HtmlTree(page);
  });

  it('shows names from outside literally', () => {
    fc.assert(
      fc.property(hostileName, (name) => {
        const hostile = runs(3, 2, name).map((run) => ({
          ...run,
          suite: name,
          fingerprint: { ...run.fingerprint, cpuModel: name, runner: name },
          code: { ...run.code, commit: name, branch: name },
        }));
        const history = historyOf(hostile, pinned(hostile[1], name), limits);
        expectHarmless(renderHistory(history, { name, sentence: name, state: 'unknown', place: name }), []);
      }),
      { seed: 2026 },
    );
  });
});

describe('the stored runs on a terminal', () => {
  const stored = storedRunsOf(twenty.slice(10, 14), pinned(twenty[6], 'v1.0.0'));

  it.each([80, 140])('in %i columns', async (width) => {
    const text = storedRunsText('branch perf-gate-baseline of origin', stored, { width, paint: plainPaint });
    expect(text.split('\n').filter((line) => displayWidth(line) > width)).toEqual([]);
    await expect(text).toMatchFileSnapshot(`history/list-${width}.txt`);
  });

  it('as one run', async () => {
    const [first = { run: buildRun(1), pins: [], compared: true }] = stored;
    const text = storedRunText(first, { width: 100, paint: plainPaint });
    await expect(text).toMatchFileSnapshot('history/show.txt');
  });

  it('as nothing', () => {
    expect(storedRunsText('here', [], { width: 80, paint: plainPaint })).toBe('here holds no run.\n');
  });

  it('as JSON, with the figures of each cell', () => {
    const [first] = JSON.parse(storedRunsJson(stored));
    expect(first).toMatchObject({ id: 'run-13', pins: [], compared: true });
    expect(first.cells['trip-edit@peak']).toMatchObject({ tps: expect.closeTo(100), errorRate: 1 / 800 });
  });

  it('without control characters', () => {
    fc.assert(
      fc.property(hostileName, (name) => {
        const hostile = storedRunsOf(
          runs(2, 1, name).map((run) => ({ ...run, id: name, suite: name })),
          [],
        );
        const texts = [
          storedRunsText(name, hostile, { width: 100, paint: plainPaint }),
          ...hostile.map((one) => storedRunText(one, { width: 100, paint: plainPaint })),
        ];
        expect(texts.join('').replaceAll('\n', '')).not.toMatch(/\p{Cc}|\u202e/u);
      }),
      { seed: 2026 },
    );
  });
});

describe('the badge', () => {
  it.each(Object.keys(badges) as BadgeState[])('%s', async (state) => {
    expect(JSON.parse(badgeJson(state))).toMatchObject({ schemaVersion: 1, label: 'performance' });
    await expect(badgeSvg(state)).toMatchFileSnapshot(`history/badge-${state}.svg`);
  });
});
