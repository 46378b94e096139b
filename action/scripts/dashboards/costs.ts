import { RowBuilder } from '@grafana/grafana-foundation-sdk/dashboard';
import { chosen, field, influxdb, lines, rows } from './influxql.ts';
import { page } from './page.ts';
import { chart, table } from './panels.ts';
import { branch, cells, datasource, gate, signals, suite } from './variables.ts';

const measured = [
  chosen('gate'),
  chosen('suite'),
  `"branch" = '$branch'`,
  chosen('scenario'),
  chosen('load'),
];

/** What signals of gate.yml can be measured in. The empty unit is a count. */
const units = [
  { name: 'counts', title: 'Counts', unit: '', grafana: 'short' },
  { name: 'times', title: 'Milliseconds', unit: 'ms', grafana: 'ms' },
  { name: 'bytes', title: 'Bytes', unit: 'B', grafana: 'bytes' },
  { name: 'kibibytes', title: 'Kibibytes', unit: 'KiB', grafana: 'kbytes' },
  { name: 'mebibytes', title: 'Mebibytes', unit: 'MiB', grafana: 'mbytes' },
] as const;

const whole = page({
  name: 'costs',
  title: 'Cost per request',
  description:
    'What a request costs the database, Redis, the network and the heap, over the runs of a branch.',
  from: 'now-90d',
  variables: [
    datasource('influxdb', 'InfluxDB'),
    gate,
    suite,
    branch,
    ...cells('gate_costs'),
    ...units.map(({ name, title, unit }) => signals(name, title, unit)),
  ],
}).withPanel(
  table({
    title: 'Costs that failed a check',
    description:
      'Growth beyond its limit. The unit is that of the signal in gate.yml. Empty if there was none.',
    datasource: influxdb,
    units: {},
    queries: [
      rows({
        select: ['run', 'scenario', 'load', 'signal', 'base', 'head', 'limit', 'unit']
          .map((name) => field(name))
          .join(', '),
        from: 'gate_costs',
        where: [...measured, '"failed" = true'],
      }),
    ],
  }),
);

export const costsDashboard = units.reduce(
  (dashboard, { name, title, grafana }) =>
    dashboard.withRow(new RowBuilder(title)).withPanel(
      chart({
        title: `$${name}`,
        description: 'Median over the rounds of a run, of each cell.',
        datasource: influxdb,
        unit: grafana,
        queries: [
          lines('$tag_scenario@$tag_load', {
            select: field('head'),
            from: 'gate_costs',
            where: [...measured, chosen('signal', name)],
            by: ['scenario', 'load'],
          }),
        ],
      }).repeat(name),
    ),
  whole,
);
