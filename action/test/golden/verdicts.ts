import { failingRows, withWaivers } from '../../src/judge/index.ts';
import type { Course } from '../../src/model/course.ts';
import { invalidReason } from '../../src/model/invalid-reason.ts';
import type { InvalidReason, Run } from '../../src/model/run.ts';
import type { CodeChange, Verdict } from '../../src/model/verdict.ts';
import { costVerdicts } from './cost-verdicts.ts';
import {
  baseRun,
  type ExampleCell,
  type ExampleEndpoint,
  exampleRun,
  exampleSignals,
  judged,
  storedRuns,
} from './example-run.ts';
import { metric } from './verdict-builder.ts';

const endpoints: readonly ExampleEndpoint[] = [
  { name: 'trip-overview', shareOfRequests: 0.4, meanMs: 420, p95Ms: 800 },
  { name: 'trip-detail', shareOfRequests: 0.3, meanMs: 275, p95Ms: 520 },
  { name: 'trip-update', shareOfRequests: 0.25, meanMs: 760, p95Ms: 1450 },
  { name: 'login', shareOfRequests: 0.05, meanMs: 1050, p95Ms: 2000 },
];

const tripPeak: ExampleCell = {
  scenario: 'trip-edit',
  load: 'peak',
  vus: 510,
  tps: 1034,
  p95Ms: 1180,
  endpoints,
  signals: { rowsRead: 31, statements: 4, serviceCpu: 0.42 },
  objectives: { meanMs: 500, tps: 1020, errorRate: 0.01 },
};
const tripAverage: ExampleCell = {
  scenario: 'trip-edit',
  load: 'average',
  vus: 130,
  tps: 262,
  p95Ms: 950,
};
const planAverage: ExampleCell = {
  scenario: 'plan-edit',
  load: 'average',
  vus: 300,
  tps: 590,
  p95Ms: 980,
};
const planPeak: ExampleCell = {
  scenario: 'plan-edit',
  load: 'peak',
  vus: 1200,
  tps: 1890,
  p95Ms: 1280,
  endpoints: [
    { name: 'plan-sort', shareOfRequests: 0.04, meanMs: 40, p95Ms: 76 },
    { name: 'plan-move', shareOfRequests: 0.05, meanMs: 45, p95Ms: 86 },
    { name: 'plan-list', shareOfRequests: 0.91, meanMs: 693.5, p95Ms: 1300 },
  ],
};
const browseAverage: ExampleCell = {
  scenario: 'trip-browse',
  load: 'average',
  vus: 5,
  tps: 120,
  p95Ms: 79,
};
const browsePeak: ExampleCell = { scenario: 'trip-browse', load: 'peak', vus: 20, tps: 410, p95Ms: 93 };

const suite = [tripAverage, tripPeak, planAverage, planPeak, browseAverage, browsePeak];

/** A cell that was loaded for half an hour: the dip of the field report, a p95 that creeps up, and memory that does not. */
function withCourse(run: Run): Run {
  const dip = { startedAt: '2026-01-31T10:22:10.000Z', seconds: 14, tps: 220, p95Ms: 750 };
  const course: Course = {
    minutes: 30,
    usualTps: 1020,
    dips: [dip, { startedAt: '2026-01-31T10:39:02.000Z', seconds: 3, tps: 0 }],
    trends: [
      { of: 'p95', level: 690, perMinute: { value: 3.1, low: 2.4, high: 3.8 } },
      { of: 'serviceMemory', level: 7e8, perMinute: { value: 12_000, low: -30_000, high: 54_000 } },
    ],
  };
  return { ...run, cells: run.cells.map((cell, index) => (index === 0 ? { ...cell, course } : cell)) };
}

const cutShort = invalidReason('I_CUT_SHORT', {
  minutes: 12.4,
  planned: 30,
  why: 'the service ended with exit code 137',
});

/** The cell with the responses of all its endpoints slower by that factor. */
function slower(cell: ExampleCell, factor: number, p95Factor = factor): ExampleCell {
  const { tps, p95Ms, endpoints = [] } = cell;
  return {
    ...cell,
    tps: tps / factor,
    p95Ms: p95Ms * p95Factor,
    endpoints: endpoints.map((endpoint) => ({
      ...endpoint,
      meanMs: endpoint.meanMs * factor,
      p95Ms: endpoint.p95Ms * p95Factor,
    })),
  };
}

/** The overview reads all rows, which every endpoint of the cell waits for. */
const slowTripPeak: ExampleCell = {
  ...tripPeak,
  tps: 842,
  p95Ms: 1745,
  endpoints: endpoints.map((endpoint) => {
    const growth =
      { 'trip-overview': 1.575, 'trip-detail': 1.1, 'trip-update': 1.045 }[endpoint.name] ?? 0.98;
    return { ...endpoint, meanMs: endpoint.meanMs * growth, p95Ms: endpoint.p95Ms * growth };
  }),
  signals: { rowsRead: 20_031, statements: 4, serviceCpu: 1.1 },
};

/** A noisy cell, in which a change at the limit could hide. */
const noisyBrowse: ExampleCell = { ...browseAverage, spread: 0.4 };

/** A noisy cell, of which more rounds would be enough. */
const shakyBrowse: ExampleCell = { ...browseAverage, spread: 0.18 };

/** The cells with those of the same name replaced. */
function replaced(cells: readonly ExampleCell[], ...changed: readonly ExampleCell[]): readonly ExampleCell[] {
  return cells.map(
    (cell) => changed.find(({ scenario, load }) => scenario === cell.scenario && load === cell.load) ?? cell,
  );
}

/** Somebody has accepted all that regressed. */
function accepted(verdict: Verdict): Verdict {
  const terms = { until: '2026-03-02', reason: 'the audit log needs one more write', by: 'mona' };
  return withWaivers(
    verdict,
    failingRows(verdict).map((row) => ({ ...row, ...terms })),
  );
}

function againstStored(
  cells: readonly ExampleCell[],
  changed: readonly ExampleCell[] = [],
  speeds?: readonly number[],
): Verdict {
  return judged(cells, { run: exampleRun(replaced(cells, ...changed)), stored: storedRuns(cells, speeds) });
}

function interleaved(
  cells: readonly ExampleCell[],
  changed: readonly ExampleCell[] = [],
  stored?: ReturnType<typeof storedRuns>,
): Verdict {
  return judged(cells, {
    run: exampleRun(replaced(cells, ...changed)),
    base: baseRun(cells),
    ...(stored === undefined ? {} : { stored }),
  });
}

/** Compared with the stored runs, then with the cells of `again` against the base commit. */
function remeasured(
  cells: readonly ExampleCell[],
  changed: readonly ExampleCell[],
  again: { readonly base: readonly ExampleCell[]; readonly head: readonly ExampleCell[] },
): Verdict {
  return judged(cells, {
    run: exampleRun(replaced(cells, ...changed)),
    stored: storedRuns(cells, [1.005]),
    again: { base: baseRun(again.base), head: exampleRun(again.head, { id: 'again' }) },
  });
}

/** The service hangs. */
const silentBrowse: ExampleCell = {
  ...browsePeak,
  silent: true,
  invalid: [invalidReason('I_NO_SAMPLES', { countedSeconds: 5, firstError: 'request timeout' })],
};

const otherData = { fingerprint: { dataKey: '0000aaaa1111bbbb2222' } };
const otherMachine = {
  fingerprint: { cpuModel: 'Intel(R) Xeon(R) Platinum 8370C CPU @ 2.80GHz' },
};
const three = [tripAverage, tripPeak, planPeak];

function generatorBusy(share: number): InvalidReason {
  return invalidReason('I_GENERATOR_CPU', { share, limit: 0.4 });
}

const stolen = invalidReason('I_STEAL', { share: 0.28, limit: 0.1 });
const otherPrograms = invalidReason('I_OTHERS_CPU', { share: 0.31, limit: 0.1 });

const control = '\u001b[2J\u001b]0;owned\u0007evil\r\nsecond line\u202etxt.exe\u0000';

/** Names that mean something to Markdown, HTML, a workflow or a shell. */
const markup = {
  scenario: '@org/team',
  load: 'a|b`c`<b>',
  endpoint: '[x](https://e.vil) ![y](https://e.vil/y.png) | <img src=x onerror=alert(1)>',
  title: '<!-- perf-gate --> </details> #1 GH-2 org/repo#3 :tada: $x^2$ www.e.vil',
  hint: '::error::x a"; echo pwn # **bold** ~~gone~~ &#64;org @octocat a@b.com\n\n# heading\n- list',
};

/** A regression, an invalid cell and a quiet one with these names. */
function named(
  names: typeof markup,
  code: { readonly commit: string; readonly branch: string },
  ids: { readonly runId: string; readonly suite: string; readonly unit: string },
): Verdict {
  const { scenario, load, endpoint, title, hint } = names;
  const { vus } = tripPeak;
  const cell = (meanMs: number, rowsRead: number): ExampleCell => ({
    ...tripPeak,
    scenario,
    load,
    tps: (1000 * vus) / meanMs,
    endpoints: [{ name: endpoint, shareOfRequests: 1, meanMs, p95Ms: 2 * meanMs }],
    signals: { rowsRead },
  });
  const quiet: ExampleCell = { ...tripAverage, scenario: title, load: hint };
  const invalid: ExampleCell = {
    ...browsePeak,
    scenario: endpoint,
    load: title,
    silent: true,
    invalid: [{ code: endpoint, cause: hint, nextStep: title }],
  };
  const before = [cell(493, 1), quiet, { ...invalid, invalid: [], silent: false }];
  const { rowsRead } = exampleSignals;
  return judged(
    before,
    {
      run: exampleRun([cell(606, 2), quiet, invalid], {
        id: ids.runId,
        suite: ids.suite,
        code: { ...code, dirty: true },
      }),
      stored: storedRuns(before, undefined, { suite: ids.suite }),
    },
    { signals: rowsRead === undefined ? {} : { rowsRead: { ...rowsRead, title, hint, unit: ids.unit } } },
  );
}

const crowded: readonly ExampleCell[] = Array.from({ length: 40 }, (_, index) => ({
  ...tripPeak,
  scenario: `service-${String(index).padStart(2, '0')}`,
  load: 'peak',
  objectives: { tps: 1020 },
}));

/** The overview finds its plans one by one. */
const profiledTripPeak: CodeChange = {
  scenario: 'trip-edit',
  load: 'peak',
  cpu: [
    {
      frame: 'shop.trips.PlanRepository.find',
      caller: 'shop.trips.DefaultTrips.plans',
      base: 0,
      head: 0.138,
    },
    { frame: 'shop.trips.web.TripView.<init>', caller: null, base: 0.031, head: 0.0624 },
  ],
  locks: [
    { frame: 'shop.trips.PlanCache.take', caller: 'shop.trips.DefaultTrips.plans', base: 12, head: 1_430.4 },
  ],
};

/** The verdict, with methods of these names. */
function withCode(verdict: Verdict, frame: string): Verdict {
  const change = { frame, caller: frame, base: 0, head: 1 };
  return { ...verdict, codeChanges: [{ scenario: frame, load: frame, cpu: [change], locks: [change] }] };
}

const recordedCosts = costVerdicts['counted-costs'];
if (recordedCosts === undefined) throw new Error('the verdict called counted-costs is missing');

/** As in a peak run: missing an objective is a regression. */
const bothGated: readonly ExampleCell[] = [
  { ...tripPeak, objectives: { meanMs: 500, tps: 1020, gate: true } },
  { ...planPeak, objectives: { tps: 1800, gate: true } },
];

/** What the renderers have to show, by the name of the golden file. */
export const verdicts: Readonly<Record<string, Verdict>> = {
  'first-run': judged(three, { run: exampleRun(three), stored: [] }),
  'not-asked': judged(three, {
    run: exampleRun(three, { code: { commit: '', branch: '', dirty: false } }),
  }),
  'objectives-met': judged(bothGated, { run: exampleRun(bothGated) }),
  'objectives-missed': judged(bothGated, { run: exampleRun([tripPeak, slower(planPeak, 1.5)]) }),
  pass: againstStored(suite),
  'long-load': judged([{ ...tripPeak, objectives: { ...tripPeak.objectives, gate: true } }], {
    run: withCourse(exampleRun([slower(tripPeak, 1.08)])),
    stored: storedRuns([tripPeak]),
  }),
  'cut-short': judged([tripPeak, planPeak], {
    run: withCourse(exampleRun([tripPeak, { ...planPeak, invalid: [cutShort] }])),
    stored: storedRuns([tripPeak, planPeak]),
  }),
  'pass-with-cost': againstStored(suite, [{ ...tripPeak, signals: { ...tripPeak.signals, rowsRead: 45 } }]),
  'slow-creep': {
    ...againstStored(suite),
    since: [
      {
        release: 'v1.4.0',
        scenario: 'trip-edit',
        load: 'peak',
        metric: metric('p95', 880, 0.34, 0.06, { provedWorse: true, outcome: 'regression' }),
      },
      {
        release: 'v1.4.0',
        scenario: 'plan-edit',
        load: 'peak',
        metric: metric('tps', 2200, -0.14, 0.02, { provedWorse: true, outcome: 'regression' }),
      },
    ],
  },
  'worse-within-limit': againstStored(
    three,
    [slower(planPeak, 1.04, 1)],
    [1.005, 0.995, 1, 1.003, 0.998, 1, 1.002, 0.997],
  ),
  'below-floor': interleaved(
    [{ ...browseAverage, tps: 1850, p95Ms: 1 }, ...three],
    [{ ...browseAverage, tps: 1850, p95Ms: 1.4 }],
  ),
  'worse-endpoint': againstStored(suite, [
    {
      ...planPeak,
      tps: 1872,
      endpoints: [
        { name: 'plan-sort', shareOfRequests: 0.04, meanMs: 194, p95Ms: 371 },
        { name: 'plan-move', shareOfRequests: 0.05, meanMs: 45.4, p95Ms: 86, errorRate: 0.065 },
        { name: 'plan-list', shareOfRequests: 0.91, meanMs: 693.5, p95Ms: 1300 },
      ],
    },
  ]),
  'remeasured-cleared': remeasured(suite, [slower(planPeak, 1.18)], {
    base: [planPeak],
    head: [planPeak],
  }),
  'coarse-for-runs': judged(
    [tripAverage, shakyBrowse],
    {
      run: exampleRun([tripAverage, shakyBrowse]),
      stored: storedRuns([tripAverage, shakyBrowse], [0.999, 1, 1.001, 0.999, 1, 1.001, 0.999, 1]),
    },
    { tolerances: { p95: 0.3 } },
  ),
  'coarse-for-good': interleaved(suite, [noisyBrowse]),
  'outlying-run': againstStored(suite, [], [0.7, 1.01, 1, 0.995]),
  regression: againstStored(suite, [slowTripPeak]),
  accepted: accepted(againstStored(suite, [slowTripPeak])),
  'accepted-costs': accepted(recordedCosts),
  'judged-by-main': {
    ...againstStored(suite, [slowTripPeak]),
    judgingChanges: [
      { what: 'tolerances.p95', change: '25% → 90%' },
      { what: 'suites.pr.cells', change: 'without trip-browse@peak, 1 added' },
      { what: '.github/workflows/perf-gate.yml', change: 'changed' },
    ],
    judgedByDefaultBranch: true,
  },
  'regression-and-invalid': againstStored([tripAverage, tripPeak, browsePeak], [slowTripPeak, silentBrowse]),
  'no-longer-answers': remeasured([tripAverage, tripPeak, browsePeak], [silentBrowse], {
    base: [browsePeak],
    head: [silentBrowse],
  }),
  'errors-regression': againstStored(
    [tripAverage, planPeak, browsePeak],
    [
      {
        ...planPeak,
        errorRate: 0.0216,
        endpoints: (planPeak.endpoints ?? []).map((one) =>
          one.name === 'plan-move' ? { ...one, errorRate: 0.43 } : one,
        ),
      },
    ],
  ),
  improvement: interleaved(suite, [slower(browsePeak, 0.79, 0.69)]),
  'interleaved-only': interleaved(suite, [], storedRuns(suite, [1.3, 1.31, 1.29])),
  confirmed: {
    ...remeasured(suite, [slowTripPeak, slower(tripAverage, 1.164, 1)], {
      base: [tripAverage, tripPeak],
      head: [tripAverage, slowTripPeak],
    }),
    codeChanges: [profiledTripPeak],
  },
  // The machine was too disturbed to measure trip-edit@peak again.
  undecided: {
    ...remeasured(suite, [slowTripPeak, slower(tripAverage, 1.164, 1)], {
      base: [tripAverage, { ...tripPeak, invalid: [stolen] }],
      head: [tripAverage, slowTripPeak],
    }),
    codeChanges: [{ ...profiledTripPeak, cpu: [], locks: [] }],
  },
  'scenario-regression': againstStored(
    suite,
    [slower(tripAverage, 1.045, 1), slower(tripPeak, 1.045, 1)],
    [1.005, 0.995, 1, 1.003, 0.998, 1, 1.002, 0.997],
  ),
  coarse: againstStored(suite, [noisyBrowse]),
  'coarse-with-counts': againstStored([...three, { ...browsePeak, costsAlone: true }, noisyBrowse]),
  'invalid-warm-up': judged(three, {
    run: exampleRun([], { invalid: [invalidReason('I_WARM_UP', { seconds: 120, jit: undefined })] }),
    stored: storedRuns(three),
  }),
  'invalid-generator': againstStored(suite, [
    { ...tripPeak, invalid: [generatorBusy(0.47)] },
    { ...planPeak, invalid: [generatorBusy(0.47)] },
  ]),
  noise: againstStored(suite, [
    { ...tripPeak, invalid: [stolen] },
    { ...browsePeak, invalid: [otherPrograms] },
  ]),
  'noise-of-run': judged(three, {
    run: exampleRun([], { invalid: [stolen] }),
    stored: storedRuns(three),
  }),
  'noise-given-up': judged(three, {
    run: exampleRun([{ ...tripAverage, invalid: [stolen] }]),
    stored: storedRuns(three),
  }),
  'noise-and-invalid': againstStored(suite, [
    { ...tripPeak, invalid: [stolen] },
    { ...planPeak, invalid: [stolen, generatorBusy(0.47)] },
  ]),
  'regression-and-noise': againstStored(suite, [slowTripPeak, { ...browsePeak, invalid: [stolen] }]),
  'not-comparable': judged(three, {
    run: exampleRun(three),
    stored: [
      ...storedRuns(three, [1], { fingerprint: { ...otherData.fingerprint, versions: { jdk: '24.0.1' } } }),
      ...storedRuns(three, [1.01, 1], otherMachine),
    ],
  }),
  'not-comparable-data': judged(three, {
    run: exampleRun(three),
    stored: storedRuns(three, undefined, otherData),
  }),
  'replaces-stored': interleaved(suite, [slowTripPeak], storedRuns(suite, [1], otherData)),
  'other-suite': judged(three, {
    run: exampleRun(three, { suite: 'full' }),
    stored: storedRuns(three, [1]),
  }),
  'endpoint-not-in-base': judged(suite, {
    run: exampleRun(suite),
    base: baseRun(
      replaced(suite, {
        ...tripPeak,
        endpoints: endpoints.map((one) => (one.name === 'login' ? { ...one, errorRate: 1 } : one)),
      }),
    ),
  }),
  ...costVerdicts,
  truncated: againstStored(
    crowded,
    crowded.filter((_, index) => index % 4 === 0).map(({ scenario }) => ({ ...slowTripPeak, scenario })),
  ),
  hostile: withCode(
    named(
      {
        scenario: control,
        load: '東京'.repeat(60),
        endpoint: control,
        title: control,
        hint: 'x'.repeat(5000),
      },
      { commit: control, branch: control },
      { runId: control, suite: 'pr', unit: control },
    ),
    control,
  ),
  'hostile-markup': withCode(
    named(
      markup,
      { commit: '<!-- perf-gate -->', branch: '- [ ] @org/team' },
      { runId: '| | |', suite: markup.load, unit: '|' },
    ),
    markup.endpoint,
  ),
};
