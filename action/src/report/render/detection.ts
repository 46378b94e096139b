import { markdownTable } from 'markdown-table';
import type { Detection, Rate, RuleAnswers } from '../../model/detection.ts';

/** The tables of the bench's results, by the names that the page has for them. */
export interface DetectionTables {
  readonly data: string;
  readonly unchanged: string;
  readonly power: string;
  readonly equal: string;
  readonly levers: string;
  readonly changes: string;
  readonly series: string;
  readonly simulation: string;
}

const widths = { stringLength: (text: string) => text.length, alignDelimiters: false } as const;

/** A table whose first column is text and whose others are numbers. */
function table(rows: readonly (readonly string[])[]): string {
  const columns = rows[0]?.length ?? 0;
  const align = Array.from({ length: columns }, (_, at) => (at === 0 ? 'l' : 'r'));
  return markdownTable(
    rows.map((row) => [...row]),
    { ...widths, align, padding: true },
  );
}

/** Rates below a tenth have a digit after the point. */
export function shareText(share: number): string {
  const points = 100 * share;
  return points > 0 && points < 9.95 ? `${points.toFixed(1)}%` : `${Math.round(points)}%`;
}

/** The bounds have a digit after the point where the share has one. */
function rateText({ rate, low, high }: Rate): string {
  const bound = (share: number) => (100 * high < 9.95 ? (100 * share).toFixed(1) : (100 * share).toFixed(0));
  return `${shareText(rate)} [${bound(low)}, ${bound(high)}]`;
}

const couldNot = ['undecided', 'noise', 'invalid', 'cannot'];

function couldNotShare({ outcomes }: RuleAnswers): number {
  return couldNot.reduce((sum, name) => sum + (outcomes[name] ?? 0), 0);
}

function passShare({ outcomes }: RuleAnswers): number {
  return (outcomes.pass ?? 0) + (outcomes.coarse ?? 0) + (outcomes.accepted ?? 0);
}

export function detectionTables(found: Detection): DetectionTables {
  return {
    data: dataText(found),
    unchanged: unchangedTable(found),
    power: powerTables(found),
    equal: equalTable(found),
    levers: leversTable(found),
    changes: changesTable(found),
    series: seriesTable(found),
    simulation: simulationTables(found),
  };
}

function titleOf({ rules }: Detection, name: string): string {
  const rule = rules.find((one) => one.name === name);
  if (rule === undefined) return name;
  return rule.source === undefined ? `**${rule.title}**` : `[${rule.title}](${rule.source})`;
}

function dataText({ data, commit, date, machine, seconds }: Detection): string {
  const regimes = Object.entries(data.regimes).map(([regime, runs]) => `${runs} ${regime}`);
  const pairs =
    data.pairs === 0
      ? 'No unchanged pair is recorded interleaved, so pairs are resampled from the blocks of single runs'
      : `${data.pairs} unchanged pairs are recorded interleaved`;
  return table([
    ['what', 'value'],
    ['unchanged runs', `${data.runs} (${regimes.join(', ')})`],
    ['interleaved pairs', pairs],
    ['runs of changed code', String(data.changes)],
    ['blocks of all runs', String(data.blocks)],
    ['recorded', `${data.from.slice(0, 16)} to ${data.to.slice(0, 16)} UTC, on ${data.recordedOn}`],
    ['runs that head is compared with', String(data.history)],
    ['checks per scene', String(data.trials)],
    [
      'judged by',
      `commit ${commit.slice(0, 12)}, ${date}, on ${machine.cpuModel}, ${machine.cpuCount} cores`,
    ],
    ['time that the bench took', `${Math.round(seconds)} s`],
  ]);
}

function unchangedTable(found: Detection): string {
  const regimes = Object.keys(found.data.regimes);
  const of = (regime: string, rule: string) =>
    found.unchanged.find((one) => one.regime === regime && one.rule === rule);
  const all = found.unchanged.filter(({ regime }) => regime === 'all');
  return table([
    [
      'rule',
      'red',
      ...regimes.map((regime) => `red, ${regime}`),
      'red by TPS alone',
      're-measured',
      'pass',
      'could not',
      'minutes',
    ],
    ...all.map((answers) => {
      const alone = found.byThroughput.find(({ rule }) => rule === answers.rule);
      return [
        titleOf(found, answers.rule),
        rateText(answers.red),
        ...regimes.map((regime) => {
          const one = of(regime, answers.rule);
          return one === undefined ? '' : shareText(one.red.rate);
        }),
        alone === undefined ? '' : shareText(alone.red.rate),
        shareText(answers.suspect),
        shareText(passShare(answers)),
        shareText(couldNotShare(answers)),
        answers.minutes.toFixed(1),
      ];
    }),
  ]);
}

const kindTitles: Readonly<Record<string, string>> = {
  cpu: 'One cell costs more CPU and takes longer',
  waiting: 'One cell waits longer, at the same CPU',
  tail: 'Only p95 and beyond of one cell take longer',
  endpoint: 'One endpoint of one cell takes longer',
  counts: 'One cell needs more SQL statements per request, at the same time',
};

/** A table per kind of effect: rules down, sizes across. */
function powerTables(found: Detection): string {
  const rules = found.rules.map(({ name }) => name);
  const scenes = [...new Set(found.power.map(({ scene }) => scene))];
  const redOf = (scene: string, rule: string) =>
    found.power.find((one) => one.scene === scene && one.rule === rule)?.red;
  const everywhere = scenes.filter((scene) => scene.endsWith('everywhere'));
  const blocks = Object.entries(kindTitles).map(([kind, title]) => ({
    title,
    columns: scenes.filter((scene) => scene.startsWith(`${kind} `) && !everywhere.includes(scene)),
    heading: (scene: string) => `+${scene.slice(kind.length + 1)}`,
  }));
  const all = [
    ...blocks,
    {
      title: 'All cells change',
      columns: everywhere,
      heading: (scene: string) => scene.replace(' everywhere', '').replace(' ', ' +'),
    },
  ];
  return all
    .filter(({ columns }) => columns.length > 0)
    .map(({ title, columns, heading }) =>
      [
        `### ${title}`,
        '',
        table([
          ['rule', ...columns.map(heading)],
          ...rules.map((rule) => [
            titleOf(found, rule),
            ...columns.map((scene) => {
              const red = redOf(scene, rule);
              return red === undefined ? '' : rateText(red);
            }),
          ]),
        ]),
      ].join('\n'),
    )
    .join('\n\n');
}

function equalTable(found: Detection): string {
  const own = (rule: string) => {
    const quiet = found.unchanged.find((one) => one.regime === 'all' && one.rule === rule);
    const loud = found.power.find((one) => one.scene === 'cpu 10%' && one.rule === rule);
    return [shareText(quiet?.red.rate ?? 0), shareText(loud?.red.rate ?? 0)];
  };
  const ours = found.rules.filter(({ source }) => source === undefined);
  return table([
    [
      'rule',
      'as it is: unchanged red',
      'as it is: +10% red',
      'equal false alarms: unchanged red',
      '+10% red',
      'equal power: unchanged red',
      '+10% red',
    ],
    ...ours.map(({ name }) => [titleOf(found, name), ...own(name), '', '', '', '']),
    ...found.equal.map(({ rule, atFalseAlarms, atPower }) => [
      titleOf(found, rule),
      ...own(rule),
      shareText(atFalseAlarms.falseAlarms),
      shareText(atFalseAlarms.power),
      shareText(atPower.falseAlarms),
      shareText(atPower.power),
    ]),
  ]);
}

function leversTable({ levers }: Detection): string {
  const scenes = [...new Set(levers.map(({ scene }) => scene))];
  const rows = Map.groupBy(levers, ({ title }) => title);
  return table([
    ['without', ...scenes],
    ...[...rows].map(([title, all]) => [
      title,
      ...scenes.map((scene) => {
        const one = all.find((row) => row.scene === scene);
        return one === undefined ? '' : shareText(one.red.rate);
      }),
    ]),
  ]);
}

function changesTable(found: Detection): string {
  const changes = [...new Set(found.changes.map(({ change }) => change))];
  const rules = [...new Set(found.changes.map(({ rule }) => rule))];
  return table([
    ['rule', ...changes],
    ...rules.map((rule) => [
      titleOf(found, rule),
      ...changes.map(
        (change) => found.changes.find((one) => one.change === change && one.rule === rule)?.answer ?? '',
      ),
    ]),
  ]);
}

function seriesTable({ series }: Detection): string {
  return table([
    ['rule and change', 'series', 'false alarms', 'found within 5 runs', 'within 20', 'median delay'],
    ...series.map(({ title, scene, series: count, falseAlarms, within5, within20, medianDelay }) => [
      `${title}, ${scene}`,
      String(count),
      shareText(falseAlarms),
      scene === 'unchanged' ? '' : shareText(within5),
      scene === 'unchanged' ? '' : shareText(within20),
      medianDelay === undefined ? '' : `${medianDelay} runs`,
    ]),
  ]);
}

/** Rules down and worlds across would be too wide, so worlds go down: our rules in detail, then the peers. */
function simulationTables(found: Detection): string {
  const unchanged = found.simulated.filter(({ scene }) => scene === 'unchanged');
  const worlds = [...new Map(unchanged.map(({ world, title }) => [world, title]))];
  const ofWorld = (world: string, rule: string, isChanged: boolean) =>
    found.simulated.find(
      (one) => one.world === world && one.rule === rule && (one.scene !== 'unchanged') === isChanged,
    );
  const peers = found.rules.filter(({ source }) => source !== undefined);
  const ours = found.rules.filter(({ source }) => source === undefined);
  const detail = ours.map(({ name, title }) =>
    [
      `### ${title}`,
      '',
      table([
        [
          'simulated',
          'checks',
          'unchanged: red',
          're-measured',
          'pass in full',
          'coarse',
          'could not',
          'minutes',
          '+10%: red',
        ],
        ...worlds.map(([world, worldTitle]) => {
          const one = ofWorld(world, name, false);
          if (one === undefined) return [worldTitle];
          return [
            worldTitle,
            String(one.checks),
            rateText(one.red),
            shareText(one.suspect),
            shareText(one.outcomes.pass ?? 0),
            shareText(one.outcomes.coarse ?? 0),
            shareText(couldNotShare(one)),
            one.minutes.toFixed(1),
            shareText(ofWorld(world, name, true)?.red.rate ?? 0),
          ];
        }),
      ]),
    ].join('\n'),
  );
  const others = [
    '### Peers',
    '',
    'Red without a change, and with one cell 10% slower by CPU time:',
    '',
    table([
      ['rule', ...worlds.map(([, title]) => title)],
      ...peers.map(({ name }) => [
        titleOf(found, name),
        ...worlds.map(([world]) => {
          const [quiet, loud] = [ofWorld(world, name, false), ofWorld(world, name, true)];
          return `${shareText(quiet?.red.rate ?? 0)}, ${shareText(loud?.red.rate ?? 0)}`;
        }),
      ]),
    ]),
  ].join('\n');
  return [...detail, others, ...equalInWorlds(found, worlds)].join('\n\n');
}

/** Peers as good as our rule in one respect, world by world: what they do in the other. */
function equalInWorlds(found: Detection, worlds: readonly (readonly [string, string])[]): readonly string[] {
  const own = found.rules.find(({ source }) => source === undefined)?.name ?? '';
  const peers = [...new Set(found.simulatedEqual.map(({ rule }) => rule))];
  const ofOwn = (world: string) => {
    const red = (isChanged: boolean) =>
      found.simulated.find(
        (one) => one.world === world && one.rule === own && (one.scene !== 'unchanged') === isChanged,
      );
    return { falseAlarms: red(false)?.red.rate ?? 0, power: red(true)?.red.rate ?? 0 };
  };
  const tableOf = (at: 'atFalseAlarms' | 'atPower') =>
    table([
      ['rule', ...worlds.map(([, title]) => title)],
      [titleOf(found, own), ...worlds.map(([world]) => bothText(ofOwn(world)))],
      ...peers.map((rule) => [
        titleOf(found, rule),
        ...worlds.map(([world]) => {
          const one = found.simulatedEqual.find((row) => row.world === world && row.rule === rule);
          return one === undefined ? '' : bothText(one[at]);
        }),
      ]),
    ]);
  return [
    ['### Peers at equal false alarms', '', bothHeading, '', tableOf('atFalseAlarms')].join('\n'),
    ['### Peers at equal power', '', bothHeading, '', tableOf('atPower')].join('\n'),
  ];
}

const bothHeading =
  'Red without a change, and with one cell 10% slower by CPU time, in the half of the checks that tests:';

function bothText({ falseAlarms, power }: { readonly falseAlarms: number; readonly power: number }): string {
  return `${shareText(falseAlarms)}, ${shareText(power)}`;
}

/** The rules that a short table shows: one of each kind. */
const wellKnown = [
  'perf-gate-stored',
  'perf-gate-beside',
  'github-action-benchmark-150',
  'bencher-percentage-10',
  'bencher-t',
  'base-then-head-25',
  'k6-thresholds-1.1',
  'clickhouse',
  'kayenta',
];

/** What a reader who compares tools asks first. */
export function detectionOverview(found: Detection): string {
  const redOf = (rule: string, scene: string) =>
    shareText(found.power.find((one) => one.rule === rule && one.scene === scene)?.red.rate ?? 0);
  return table([
    ['rule', 'unchanged', '+10% CPU', '+10% waiting', '+30% CPU'],
    ...wellKnown.flatMap((rule) => {
      const unchanged = found.unchanged.find((one) => one.regime === 'all' && one.rule === rule);
      const title = found.rules.find(({ name }) => name === rule)?.title ?? rule;
      return unchanged === undefined
        ? []
        : [
            [
              title,
              rateText(unchanged.red),
              redOf(rule, 'cpu 10%'),
              redOf(rule, 'waiting 10%'),
              redOf(rule, 'cpu 30%'),
            ],
          ];
    }),
  ]);
}

/** All tables, for a terminal. */
export function detectionReport(found: Detection): string {
  const { data, unchanged, power, equal, levers, changes, series, simulation } = detectionTables(found);
  return [
    ['Data', data],
    ['Unchanged code', unchanged],
    ['Power', power],
    ['Equal false alarms, equal power', equal],
    ['What each part adds', levers],
    ['Recorded changes, by the first measurement', changes],
    ['Change points', series],
    ['Simulation', simulation],
  ]
    .map(([heading, text]) => `## ${heading}\n\n${text}\n`)
    .join('\n');
}
