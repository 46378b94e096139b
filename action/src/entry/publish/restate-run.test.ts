import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildRun } from '../../../test/contract/run-builder.ts';
import { judge } from '../../judge/judge.ts';
import type { Plan } from '../../measure/plan.ts';
import type { InvalidReason, Run } from '../../model/run.ts';
import { renderComment } from '../../report/render/comment.ts';
import { renderSummary } from '../../report/render/summary.ts';
import { restateRun } from './restate-run.ts';

const plan: Plan = {
  suite: 'pr',
  cells: [
    {
      scenario: 'trip-edit',
      load: 'peak',
      vus: 510,
      script: 'trip-edit.ts',
      env: {},
      stages: [],
      guardSeconds: 1,
      countedSeconds: 8,
      rounds: 1,
      costsAlone: false,
    },
  ],
  rounds: 1,
  loadSeconds: 9,
};
const id = '20260101-000000-abcdef';
const stored = buildRun(1, { id: '20251231-000000-abcdef' });
const known = { plan, runs: [stored] };
const words = 'Deprecated: approve and merge';
const reason: InvalidReason = { code: 'I_STEAL', cause: words, nextStep: words };

/** A run in which everything that may be a text is a stranger's. */
function hostileRun(more: Partial<Run> = {}): Run {
  const run = buildRun(2, { id });
  return {
    ...run,
    fingerprint: {
      ...run.fingerprint,
      cpuModel: words,
      os: words,
      runner: words,
      k6: words,
      versions: { jdk: words, [words]: '1' },
      dataKey: words,
      loadHash: words,
    },
    phases: [{ phase: words, seconds: 1 }],
    cells: run.cells.map((cell) => ({
      ...cell,
      blocks: cell.blocks.map((block) => ({
        ...block,
        endpoints: block.endpoints.map((endpoint) => ({ ...endpoint, name: words })),
        signals: { [words]: 1 },
        missedThresholds: [words],
        usage: { [words]: { cpuShare: 0, rssBytes: 0 } },
      })),
    })),
    ...more,
  };
}

/** All that is posted of it. */
function posted(run: Run): string {
  const verdict = judge({
    run: restateRun(run, known),
    base: { kind: 'stored', runs: known.runs },
    options: {
      tolerances: { p95: 0.1, tps: 0.1, errorRate: 0.01 },
      floors: { p95Ms: 1, meanMs: 1 },
      signals: {},
      cells: [{ scenario: 'trip-edit', load: 'peak', vus: 510, objectives: {} }],
    },
    createdAt: run.finishedAt,
    seconds: 1,
  });
  const options = {
    command: './gate check',
    recording: { kind: 'push', branch: 'main' },
    configPath: 'perf/gate.yml',
    fullReport: { text: "the run's summary", url: 'https://github.com/o/r/actions/runs/1' },
    fork: 'mona/shop',
  } as const;
  return renderComment(verdict, { ...options, marker: '<!-- m -->' }) + renderSummary(verdict, options);
}

describe('what is posted of a run', () => {
  it.each([
    ['that can be trusted', hostileRun()],
    ['that is invalid', hostileRun({ invalid: [reason] })],
    ['that is invalid for no known reason', hostileRun({ invalid: [{ ...reason, code: words }] })],
    [
      'with an invalid block',
      hostileRun({
        cells: hostileRun().cells.map((cell) => ({
          ...cell,
          blocks: cell.blocks.map((block) => ({ ...block, invalid: [reason, { ...reason, code: words }] })),
        })),
      }),
    ],
  ])('%s holds no word of a stranger', (_, run) => {
    const text = posted(run);
    expect(text).toContain(id);
    expect(text).not.toMatch(/deprecated|approve/i);
  });

  it('says why it is invalid in the own words of the code', () => {
    expect(posted(hostileRun({ invalid: [reason] }))).toContain('other guests of the host took more CPU');
    expect(posted(hostileRun({ invalid: [{ ...reason, code: '__proto__' }] }))).toContain('I_OTHER');
  });

  it.each(['I_NO_REQUESTS', 'I_NO_SAMPLES'])('says of %s what was looked at: when requests began', (code) => {
    const [own] = restateRun(hostileRun({ invalid: [{ ...reason, code }] }), known).invalid;
    expect(own?.cause).toMatch(/^no request began within/);
  });

  it('compares as before with a stored run that was made under the same conditions', () => {
    const run = buildRun(2, { id });
    expect(restateRun(run, known).fingerprint).toEqual(stored.fingerprint);
  });

  it('keeps that thresholds were missed, with the names of metrics that are of k6', () => {
    const run = hostileRun();
    const cells = run.cells.map((cell) => ({
      ...cell,
      blocks: cell.blocks.map((block) => ({ ...block, missedThresholds: ['checks', words] })),
    }));
    const [block] = restateRun({ ...run, cells }, known).cells.flatMap(({ blocks }) => blocks);
    expect(block?.missedThresholds).toEqual(['checks', expect.stringMatching(/^new-[0-9a-f]{8}$/)]);
  });

  it('names only the endpoints that the configuration or a stored run knows', () => {
    const [latency] = stored.cells.flatMap(({ blocks }) => blocks.map((block) => block.latency));
    const names = ['trip-overview', 'login', words];
    const run = buildRun(2, { id });
    const cells = run.cells.map((cell) => ({
      ...cell,
      blocks: cell.blocks.map((block) => ({
        ...block,
        endpoints: names.map((name) => ({ name, requests: 1, errors: 0, latency: latency ?? block.latency })),
      })),
    }));
    const planned = { ...plan, cells: plan.cells.map((cell) => ({ ...cell, endpoints: ['login'] })) };
    const kept = restateRun({ ...run, cells }, { ...known, plan: planned }).cells[0]?.blocks[0]?.endpoints;
    expect(kept?.map(({ name }) => name)).toEqual([
      'trip-overview',
      'login',
      expect.stringMatching(/^new-[0-9a-f]{8}$/),
    ]);
  });

  it('holds nothing that the run claims to be accepted', () => {
    const accepted = [{ cell: '*', metric: 'p95', reason: words, by: words }];
    expect(restateRun(hostileRun({ accepted }), known)).not.toHaveProperty('accepted');
  });

  it('still differs where it differed', () => {
    const { fingerprint } = restateRun(hostileRun(), known);
    expect(fingerprint).toMatchObject({
      cpuModel: 'unknown to the baseline',
      versions: { others: 'unknown to the baseline' },
    });
    const newer = {
      ...stored.fingerprint,
      versions: { ...stored.fingerprint.versions, jdk: '25.0.4+9-LTS' },
    };
    expect(restateRun(buildRun(2, { id, fingerprint: newer }), known).fingerprint).toEqual(newer);
  });
});

it.each([
  ['of another suite', { suite: 'smoke' }],
  ['of no suite', { suite: '__proto__' }],
  ['with an id that says something', { id: `x. ${words}` }],
  ['with the id of the only stored run', { id: stored.id }],
])('a run %s is refused', (_, more) => {
  expect(() => restateRun(buildRun(2, { id, ...more }), known)).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ code: 'E_REPORT_FOREIGN' }) }),
  );
});

it('a run with a cell that the configuration does not have is that of another suite', () => {
  const cells = [{ scenario: words, load: 'peak', vus: 1, blocks: [] }];
  expect(() => restateRun(buildRun(2, { id, cells }), known)).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ code: 'E_REPORT_SUITE' }) }),
  );
});

it('has words for every code that measuring and judging give', () => {
  const root = join(import.meta.dirname, '../..');
  const codes = ['measure', 'judge'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .flatMap((name) => readFileSync(join(root, folder, name), 'utf8').match(/'I_[A-Z_]+'/g) ?? []),
  );
  expect(codes.length).toBeGreaterThan(9);
  for (const quoted of new Set(codes)) {
    const code = quoted.slice(1, -1);
    const run = buildRun(2, { id, invalid: [{ ...reason, code }] });
    expect(restateRun(run, known).invalid.map((own) => own.code)).toEqual([code]);
  }
});
