import { AnnotationQueryBuilder, RowBuilder } from '@grafana/grafana-foundation-sdk/dashboard';
import { chosen, events, field, influxdb, lines, rows } from './influxql.ts';
import { idOf, page } from './page.ts';
import { chart, table } from './panels.ts';
import { branch, cells, datasource, gate, ofOneCell, oneCell, suite } from './variables.ts';

const ofBranch = [chosen('gate'), chosen('suite'), `"branch" = '$branch'`];
const ofCells = [...ofBranch, chosen('scenario'), chosen('load')];
const detail = [...ofBranch, ...ofOneCell];
const cellTitle = '$tag_scenario@$tag_load';

interface Measure {
  readonly title: string;
  readonly name: string;
  readonly unit: string;
  readonly description: string;
}

const perCell = ({ title, name, unit, description }: Measure) =>
  chart({
    title,
    description,
    datasource: influxdb,
    unit,
    queries: [
      lines(cellTitle, { select: field(name), from: 'gate_cells', where: ofCells, by: ['scenario', 'load'] }),
    ],
  });

/** @param limit the figure from which on the check would be worse, of the fields of the cell */
const withLimit = ({ title, name, unit, description }: Measure, base: string, limit: string) =>
  chart({
    title,
    description,
    datasource: influxdb,
    unit,
    queries: [
      lines('$col', {
        select: [field(name, 'measured'), field(base, 'base'), `${limit} AS "limit"`].join(', '),
        from: 'gate_cells',
        where: detail,
      }),
    ],
  });

const change = (title: string, metric: string) =>
  chart({
    title,
    description:
      'Change from base to head with the ends of its 95% interval. An interval around 0 means no change was seen.',
    datasource: influxdb,
    unit: 'percentunit',
    queries: [
      lines('$col', {
        select: ['low', 'change', 'high'].map((end) => field(`${metric}_${end}`, end)).join(', '),
        from: 'gate_cells',
        where: detail,
      }),
    ],
  });

/** Two hours around the end of the run. */
const runLink = `/d/${idOf('run')}?\${influxdb:queryparam}&\${gate:queryparam}&\${suite:queryparam}&var-run=\${__value.raw}&time=\${__data.fields.Time.numeric}&time.window=7200000`;

export const trendDashboard = page({
  name: 'trend',
  title: 'Trend',
  description:
    'Every cell over the runs of a branch, with what it was compared with and the limits that it had.',
  from: 'now-90d',
  variables: [
    datasource('influxdb', 'InfluxDB'),
    gate,
    suite,
    branch,
    ...cells('gate_cells'),
    ...oneCell('gate_cells'),
  ],
})
  .annotation(
    new AnnotationQueryBuilder()
      .name('Regressions')
      .datasource(influxdb)
      .enable(true)
      .iconColor('red')
      .target(
        events('sentence', {
          select: field('sentence'),
          from: 'gate_runs',
          where: [...ofBranch, `"outcome" = 'regression'`],
        }),
      ),
  )
  .annotation(
    new AnnotationQueryBuilder()
      .name('Releases')
      .datasource(influxdb)
      .enable(true)
      .iconColor('blue')
      .target(events('title', { select: field('title'), from: 'gate_releases', where: [chosen('gate')] })),
  )
  .withRow(new RowBuilder('All cells'))
  .withPanel(
    perCell({
      title: 'Throughput',
      name: 'tps',
      unit: 'reqps',
      description: 'Requests per second of each cell.',
    }),
  )
  .withPanel(
    perCell({
      title: 'p95',
      name: 'p95_ms',
      unit: 'ms',
      description: '95th percentile of the response times of each cell.',
    }),
  )
  .withPanel(
    perCell({ title: 'Mean', name: 'mean_ms', unit: 'ms', description: 'Mean response time of each cell.' }),
  )
  .withPanel(
    perCell({
      title: 'Error rate',
      name: 'error_rate',
      unit: 'percentunit',
      description: 'Share of the requests of each cell that failed.',
    }),
  )
  .withRow(new RowBuilder('Details of $one_scenario@$one_load'))
  .withPanel(
    withLimit(
      {
        title: 'Throughput and its limit',
        name: 'tps',
        unit: 'reqps',
        description: 'Below the limit the check fails, if it is sure.',
      },
      'tps_base',
      '"tps_base" * (1 + "tps_limit")',
    ),
  )
  .withPanel(
    withLimit(
      {
        title: 'p95 and its limit',
        name: 'p95_ms',
        unit: 'ms',
        description: 'Above the limit the check fails, if it is sure.',
      },
      'p95_base',
      '"p95_base" * (1 + "p95_limit")',
    ),
  )
  .withPanel(change('Change of the throughput', 'tps'))
  .withPanel(change('Change of p95', 'p95'))
  .withPanel(
    chart({
      title: 'p95 by endpoint',
      description: '95th percentile of each endpoint: the median over the blocks of a run.',
      datasource: influxdb,
      unit: 'ms',
      queries: [
        lines('$tag_endpoint', {
          select: field('p95_ms'),
          from: 'gate_endpoints',
          where: detail,
          by: ['endpoint'],
        }),
      ],
    }),
  )
  .withPanel(
    chart({
      title: 'Mean by endpoint',
      description: 'Mean response time of each endpoint.',
      datasource: influxdb,
      unit: 'ms',
      queries: [
        lines('$tag_endpoint', {
          select: field('mean_ms'),
          from: 'gate_endpoints',
          where: detail,
          by: ['endpoint'],
        }),
      ],
    }),
  )
  .withRow(new RowBuilder('Runs'))
  .withPanel(
    table({
      title: 'Runs',
      description: 'All runs of the branch. The id of a run opens it second by second.',
      datasource: influxdb,
      units: { seconds: 's' },
      queries: [
        rows({
          select: ['run', 'outcome', 'sentence', 'commit', 'seconds'].map((name) => field(name)).join(', '),
          from: 'gate_runs',
          where: ofBranch,
        }),
      ],
    }).overrideByName('run', [{ id: 'links', value: [{ title: 'This run', url: runLink }] }]),
  );
