import type { CellVerdict, Verdict } from '../../src/model/verdict.ts';
import {
  comparedCell,
  endpoint,
  measuredCell,
  metric,
  mismatch,
  quietCell,
  reason,
  signal,
  verdict,
} from './verdict-builder.ts';

const quiet = [
  quietCell('trip-edit', 'average', 130, 1),
  quietCell('plan-edit', 'average', 300, 2),
  quietCell('plan-edit', 'peak', 1200, 3),
  quietCell('trip-browse', 'average', 5, 4),
  quietCell('trip-browse', 'peak', 20, 5),
];

const regressed = comparedCell(
  'trip-edit',
  'peak',
  510,
  [
    metric('p95', 188, 0.48, 0.17, { outcome: 'regression', adjustedP: 0.001 }),
    metric('tps', 1034, -0.186, 0.026, { outcome: 'regression', adjustedP: 0.0001 }),
    metric('errorRate', 0, 0.0002, 0.0003),
  ],
  {
    outcome: 'regression',
    endpoints: [
      endpoint('trip-overview', 12.3, 324.3, 0.71),
      endpoint('trip-detail', 8.1, 41.2, 0.17),
      endpoint('trip-update', 22.4, 61, 0.12),
      endpoint('login', 31, 29.5, 0),
    ],
    signals: [
      signal(31, 20_031),
      signal(4, 4, { name: 'statements', title: 'statements a request', moved: false }),
      signal(0.42, 1.1, {
        name: 'cpu',
        title: 'service CPU a request',
        unit: 'ms',
        hint: 'more work in the service itself; profile it',
      }),
    ],
    objectives: [
      { objective: 'mean < 500 ms', value: 612.4, limit: 500, met: false },
      { objective: 'TPS >= 1,020', value: 841.7, limit: 1020, met: false },
      { objective: 'errors < 1%', value: 0.0002, limit: 0.01, met: true },
    ],
  },
);

const failing = comparedCell(
  'plan-edit',
  'peak',
  1200,
  [
    metric('p95', 640, -0.31, 0.1, { improved: true }),
    metric('tps', 1890, 0.02, 0.03),
    metric('errorRate', 0.0004, 0.0212, 0.003, { outcome: 'regression', adjustedP: 0.0001 }),
  ],
  {
    outcome: 'regression',
    endpoints: [
      {
        name: 'plan-sort',
        base: { meanMs: 210, p95Ms: 420, errorRate: 0 },
        head: { meanMs: 42, p95Ms: 61, errorRate: 0.19 },
        shareOfAddedTime: 0,
        beyondSharedMs: 0,
        worse: [],
      },
    ],
  },
);

const improved = comparedCell('trip-browse', 'peak', 20, [
  metric('p95', 41, -0.31, 0.09, { improved: true }),
  metric('tps', 410, 0.27, 0.04, { improved: true }),
  metric('errorRate', 0, 0, 0.0005),
]);

const blind = comparedCell(
  'trip-browse',
  'average',
  5,
  [
    metric('p95', 38, 0.09, 0.37, { outcome: 'inconclusive', smallestVisible: 0.41, roundsNeeded: 9 }),
    metric('tps', 120, -0.01, 0.03),
    metric('errorRate', 0, 0, 0.0005),
  ],
  { outcome: 'inconclusive' },
);

const measured = [
  measuredCell('trip-edit', 'average', 130, 262),
  measuredCell('trip-edit', 'peak', 510, 1034),
  measuredCell('plan-edit', 'peak', 1200, 1890),
];

const notReached: CellVerdict = {
  ...measuredCell('trip-edit', 'average', 130),
  outcome: 'invalid',
  head: {
    tps: 0,
    meanMs: 0,
    p95Ms: 0,
    p99Ms: 0,
    errorRate: 0,
    requests: 0,
    blocks: 0,
    generatorCpuShare: 0,
  },
};

const generatorBusy = reason(
  'I_GENERATOR_CPU',
  'the load generator used 47% of all cores, limit 40%: it may have been the bottleneck',
  'lower the virtual users, or give the generator cores of its own',
);

const silenced: CellVerdict = { ...notReached, scenario: 'trip-browse', load: 'peak', vus: 20 };

const noSamples = reason(
  'I_NO_SAMPLES',
  'no request began within the 5 s that are counted; its first error: request timeout',
  'lower the virtual users or lengthen `counted`, and look whether the service still answers',
);

const many: CellVerdict[] = Array.from({ length: 40 }, (_, index) =>
  index % 4 === 0
    ? { ...regressed, scenario: `service-${String(index).padStart(2, '0')}`, signals: [], objectives: [] }
    : quietCell(`service-${String(index).padStart(2, '0')}`, 'peak', 20 + index, index),
);

const hostile = '\u001b[2J\u001b]0;owned\u0007evil\r\nsecond line\u202etxt.exe\u0000';

/** Names that mean something to Markdown, HTML, a workflow or a shell. */
const markup = {
  scenario: '@org/team',
  load: 'a|b`c`<b>',
  endpoint: '[x](https://e.vil) ![y](https://e.vil/y.png) | <img src=x onerror=alert(1)>',
  title: '<!-- perf-gate --> </details> #1 GH-2 org/repo#3 :tada: $x^2$ www.e.vil',
  hint: '::error::x a"; echo pwn # **bold** ~~gone~~ &#64;org @octocat a@b.com\n\n# heading\n- list',
};

const stored = {
  kind: 'stored' as const,
  base: [
    { runId: '20260129-080000-aa01', commit: '77aa01c2d3e4f5061728', startedAt: '2026-01-29T08:00:00Z' },
    { runId: '20260130-170000-bb02', commit: '9f8e7d6c5b4a39281706', startedAt: '2026-01-30T17:00:00Z' },
  ],
  mismatches: [],
};

/** What the renderers are held to, by the name of the golden file. */
export const verdicts: Readonly<Record<string, Verdict>> = {
  'first-run': verdict(measured, {
    comparison: { kind: 'none', reason: 'no-baseline', mismatches: [] },
  }),
  'not-asked': verdict(measured, {
    comparison: { kind: 'none', reason: 'not-asked', mismatches: [] },
    code: { commit: '', branch: '', dirty: false },
  }),
  pass: verdict([quietCell('trip-edit', 'peak', 510, 6), ...quiet]),
  'pass-with-cost': verdict([
    { ...quietCell('trip-edit', 'peak', 510, 6), signals: [signal(31, 45)] },
    ...quiet,
  ]),
  'worse-within-limit': verdict([
    comparedCell('plan-edit', 'peak', 1200, [
      metric('p95', 640, 0.02, 0.1),
      metric('tps', 1890, -0.072, 0.02, { adjustedP: 0.0004, provedWorse: true }),
      metric('errorRate', 0, 0, 0.0005),
    ]),
    comparedCell('trip-browse', 'average', 5, [
      metric('p95', 5.1, 0.41, 0.2, {
        adjustedP: 0.002,
        provedWorse: true,
        limit: 0.6,
        limitFrom: 'floor',
        belowFloor: true,
      }),
      metric('tps', 120, -0.01, 0.03, { limit: -0.33, limitFrom: 'floor' }),
      metric('errorRate', 0, 0, 0.0005),
    ]),
    ...quiet.slice(0, 2),
  ]),
  'worse-endpoint': verdict([
    ...quiet.slice(0, 2),
    {
      ...quietCell('plan-edit', 'peak', 1200, 3),
      endpoints: [
        { ...endpoint('plan-sort', 20.1, 98, 0.6), worse: ['p95'] },
        {
          ...endpoint('plan-move', 12, 12.1, 0.01),
          head: { meanMs: 12.1, p95Ms: 22.9, errorRate: 0.065 },
          worse: ['errorRate'],
        },
        endpoint('plan-list', 30, 30.4, 0.39),
      ],
    },
  ]),
  'first-look-stands': verdict([...quiet.slice(0, 3), regressed], {
    outcome: 'regression',
    comparison: {
      ...stored,
      confirmed: {
        baseCommit: '9f8e7d6c5b4a39281706',
        cells: [
          { name: 'trip-edit@peak', outcome: 'inconclusive' },
          { name: 'plan-edit@peak', outcome: 'pass' },
        ],
      },
    },
  }),
  'refuted-beside': verdict([...quiet.slice(0, 3)], {
    comparison: {
      ...stored,
      confirmed: {
        baseCommit: '9f8e7d6c5b4a39281706',
        cells: [{ name: 'plan-edit@peak', outcome: 'pass' }],
      },
    },
  }),
  'inconclusive-for-runs': verdict([...quiet.slice(0, 3), blind], {
    outcome: 'inconclusive',
    comparison: { ...stored, base: [...stored.base, ...stored.base] },
  }),
  'inconclusive-for-good': verdict(
    [{ ...blind, metrics: blind.metrics.map(({ roundsNeeded, ...one }) => one) }, ...quiet.slice(0, 3)],
    { outcome: 'inconclusive', comparison: { kind: 'side-by-side', baseCommit: '9f8e7d6c5b4a39281706' } },
  ),
  'outlying-run': verdict([...quiet], {
    comparison: {
      ...stored,
      outlying: [
        {
          runId: '20260129-120000-cc03',
          commit: '77aa01c2d3e4f5061728',
          startedAt: '2026-01-29T12:00:00Z',
          metric: 'tps',
          change: -0.296,
        },
      ],
    },
  }),
  regression: verdict([...quiet, regressed], { outcome: 'regression' }),
  'regression-and-invalid': verdict(
    [quietCell('trip-edit', 'average', 130), regressed, { ...silenced, invalid: [noSamples] }],
    { outcome: 'regression' },
  ),
  'errors-regression': verdict([failing, ...quiet.slice(0, 2)], { outcome: 'regression' }),
  improvement: verdict([...quiet.slice(0, 4), improved], {
    comparison: { kind: 'side-by-side', baseCommit: '9f8e7d6c5b4a39281706' },
  }),
  'beside-only': verdict([quietCell('trip-edit', 'peak', 510, 6), ...quiet.slice(0, 2)], {
    comparison: {
      kind: 'side-by-side',
      baseCommit: '9f8e7d6c5b4a39281706',
      stored: { outcome: 'regression', regressed: ['trip-edit@peak', 'trip-edit@average'] },
    },
  }),
  confirmed: verdict([...quiet.slice(0, 2), regressed], {
    outcome: 'regression',
    comparison: {
      kind: 'stored',
      base: [
        { runId: '20260130-170000-bb02', commit: '9f8e7d6c5b4a39281706', startedAt: '2026-01-30T17:00:00Z' },
      ],
      mismatches: [],
      confirmed: {
        baseCommit: '9f8e7d6c5b4a39281706',
        cells: [
          { name: 'trip-edit@peak', outcome: 'regression' },
          { name: 'trip-edit@average', outcome: 'pass' },
        ],
      },
    },
  }),
  inconclusive: verdict([...quiet.slice(0, 3), blind], { outcome: 'inconclusive' }),
  'invalid-warm-up': verdict([notReached, { ...notReached, load: 'peak', vus: 510 }], {
    outcome: 'invalid',
    invalid: [
      reason(
        'I_WARM_UP',
        'the warm-up did not settle within 2 min: the last 3 windows lie 22% apart, allowed are 10%',
        'raise warmUp.cap, or find out what keeps the service busy',
      ),
    ],
  }),
  'invalid-generator': verdict(
    [
      {
        ...measuredCell('trip-edit', 'peak', 510, 1034),
        outcome: 'invalid',
        invalid: [generatorBusy, generatorBusy],
      },
      { ...measuredCell('plan-edit', 'peak', 1200, 1890), outcome: 'invalid', invalid: [generatorBusy] },
      ...quiet.slice(0, 2),
    ],
    { outcome: 'invalid' },
  ),
  'not-comparable': verdict(measured, {
    comparison: {
      kind: 'none',
      reason: 'not-comparable',
      mismatches: [
        mismatch('r1', [
          { field: 'dataKey', base: '0000aaaa1111bbbb2222', head: '5f1c3a9b7e2d40688a1b' },
          { field: 'versions.jdk', base: '24.0.1', head: '25.0.3' },
        ]),
        mismatch('r2', [
          { field: 'cpuModel', base: 'Intel(R) Xeon(R) Platinum 8370C CPU @ 2.80GHz', head: 'AMD EPYC 9R14' },
        ]),
        mismatch('r3', [
          { field: 'cpuModel', base: 'Intel(R) Xeon(R) Platinum 8370C CPU @ 2.80GHz', head: 'AMD EPYC 9R14' },
        ]),
      ],
    },
  }),
  'not-comparable-data': verdict(measured, {
    outcome: 'inconclusive',
    comparison: {
      kind: 'none',
      reason: 'not-comparable',
      mismatches: [
        mismatch('r1', [{ field: 'dataKey', base: '0000aaaa1111', head: '5f1c3a9b7e2d' }]),
        mismatch('r2', [{ field: 'dataKey', base: '0000aaaa1111', head: '5f1c3a9b7e2d' }]),
      ],
    },
  }),
  'stand-in': verdict([...quiet.slice(0, 4), regressed], {
    outcome: 'regression',
    comparison: {
      kind: 'side-by-side',
      baseCommit: '9f8e7d6c5b4a39281706',
      mismatches: [mismatch('r1', [{ field: 'dataKey', base: '0000aaaa1111', head: '5f1c3a9b7e2d' }])],
    },
  }),
  'other-suite': verdict(measured, {
    comparison: {
      kind: 'none',
      reason: 'not-comparable',
      mismatches: [mismatch('r1', [{ field: 'suite', base: 'pr', head: 'full' }])],
    },
  }),
  'beyond-base': verdict([measuredCell('trip-edit', 'average', 130, 262), ...quiet.slice(1)], {
    outcome: 'inconclusive',
    comparison: {
      kind: 'side-by-side',
      baseCommit: '9f8e7d6c5b4a39281706',
      beyondBase: [{ cell: 'trip-edit@average', endpoints: ['trip-export'] }],
    },
  }),
  truncated: verdict(many, { outcome: 'regression' }),
  hostile: verdict(
    [
      {
        ...regressed,
        scenario: hostile,
        load: '東京'.repeat(60),
        endpoints: [endpoint(hostile, 1, 2, 1)],
        signals: [signal(1, 2, { title: hostile, hint: 'x'.repeat(5000), unit: hostile })],
        invalid: [reason(hostile, hostile, hostile)],
      },
      ...quiet.slice(0, 1),
    ],
    { outcome: 'regression', code: { commit: hostile, branch: hostile, dirty: true }, runId: hostile },
  ),
  'hostile-markup': verdict(
    [
      {
        ...regressed,
        scenario: markup.scenario,
        load: markup.load,
        endpoints: [endpoint(markup.endpoint, 1, 2, 1)],
        signals: [signal(1, 2, { title: markup.title, hint: markup.hint, unit: '|' })],
        invalid: [reason('`|`', markup.hint, markup.title)],
      },
      { ...quietCell('', 'average', 130, 1), scenario: markup.title, load: markup.hint },
    ],
    {
      outcome: 'regression',
      suite: markup.load,
      runId: '| | |',
      code: { commit: '<!-- perf-gate -->', branch: '- [ ] @org/team', dirty: false },
    },
  ),
};
