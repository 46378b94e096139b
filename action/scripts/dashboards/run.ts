import { RowBuilder } from '@grafana/grafana-foundation-sdk/dashboard';
import { type ReadingGroup, type ReadingUnit, readingGroups, readings } from '../../src/model/reading.ts';
import { snakeCase } from '../../src/report/points/tag.ts';
import { chosen, field, influxdb, lines, rows } from './influxql.ts';
import { page } from './page.ts';
import { chart, stacked, table } from './panels.ts';
import { cells, datasource, gate, run, suite } from './variables.ts';

const measured = [`"run" = '$run'`, chosen('scenario'), chosen('load')];
const all = `"endpoint" = '(all)'`;
const named = '"endpoint" !~ /^\\(/';

const units: Readonly<Record<ReadingUnit, { readonly unit: string; readonly say: string }>> = {
  share: { unit: 'percentunit', say: 'Share of all CPUs of the machine.' },
  bytes: { unit: 'bytes', say: 'Bytes.' },
  ms: { unit: 'ms', say: 'Milliseconds per event.' },
  'ms/s': { unit: 'ms', say: 'Milliseconds in each second.' },
  '/s': { unit: 'ops', say: 'Per second.' },
  '': { unit: 'short', say: 'A number.' },
};

/** The readings of a group are lines of one chart, as in the report's page. */
function readingChart(group: ReadingGroup) {
  const own = Object.entries(readings).filter(([, reading]) => reading.group === group);
  const { unit, say } = units[own[0]?.[1].unit ?? ''];
  const panel = chart({
    title: readingGroups[group],
    description: `${say} Read once a second, base and head in the order in which they were measured.`,
    datasource: influxdb,
    unit,
    queries: [
      lines('$col', {
        select: own.map(([name, { title }]) => field(snakeCase(name), title)).join(', '),
        from: 'gate_readings',
        where: measured,
      }),
    ],
  });
  return group === 'cpu' ? stacked(panel).max(1) : panel;
}

const groups = Object.keys(readingGroups) as ReadingGroup[];

const whole = page({
  name: 'run',
  title: 'Run',
  description:
    'One check, second by second: what the load saw, and what machine, service and database did meanwhile.',
  from: 'now-6h',
  variables: [datasource('influxdb', 'InfluxDB'), gate, suite, run('run', 'Run'), ...cells('gate_requests')],
})
  .withPanel(
    table({
      title: 'Verdict',
      description: 'What the check decided about the chosen run, and which commit it measured.',
      datasource: influxdb,
      units: { seconds: 's' },
      queries: [
        rows({
          select: ['outcome', 'sentence', 'branch', 'commit', 'seconds']
            .map((name) => field(name))
            .join(', '),
          from: 'gate_runs',
          where: [`"run" = '$run'`],
        }),
      ],
    }).height(4),
  )
  .withRow(new RowBuilder('Requests'))
  .withPanel(
    chart({
      title: 'Requests per second',
      description: 'Requests that ended in each second, by side and phase. Only counted seconds are judged.',
      datasource: influxdb,
      unit: 'reqps',
      queries: [
        lines('$tag_side, $tag_phase', {
          select: field('requests'),
          from: 'gate_requests',
          where: [...measured, all],
          by: ['side', 'phase'],
        }),
      ],
    }),
  )
  .withPanel(
    chart({
      title: 'Response times',
      description: 'Percentiles of the requests that ended in each second.',
      datasource: influxdb,
      unit: 'ms',
      queries: [
        lines('$tag_side $col', {
          select: [field('p50_ms', 'p50'), field('p95_ms', 'p95'), field('p99_ms', 'p99')].join(', '),
          from: 'gate_requests',
          where: [...measured, all],
          by: ['side'],
        }),
      ],
    }),
  )
  .withPanel(
    chart({
      title: 'Virtual users',
      description: 'Virtual users that were active in each second.',
      datasource: influxdb,
      unit: 'short',
      queries: [
        lines('$tag_side', {
          select: field('users'),
          from: 'gate_requests',
          where: [...measured, all],
          by: ['side'],
        }),
      ],
    }),
  )
  .withPanel(
    chart({
      title: 'Failed requests per second',
      description: 'By status; 0 is a request without an answer. Empty if no request failed.',
      datasource: influxdb,
      unit: 'reqps',
      queries: [
        lines('$tag_side, status $tag_status', {
          select: field('failed'),
          from: 'gate_failures',
          where: measured,
          by: ['side', 'status'],
        }),
      ],
    }),
  )
  .withPanel(
    chart({
      title: 'Head: p95 by endpoint',
      description: '95th percentile of the requests of each endpoint that ended in each second.',
      datasource: influxdb,
      unit: 'ms',
      queries: [
        lines('$tag_endpoint', {
          select: field('p95_ms'),
          from: 'gate_requests',
          where: [...measured, named, `"side" = 'head'`],
          by: ['endpoint'],
        }),
      ],
    }),
  )
  .withPanel(
    chart({
      title: 'Head: requests by endpoint',
      description: 'Requests of each endpoint that ended in each second.',
      datasource: influxdb,
      unit: 'reqps',
      queries: [
        lines('$tag_endpoint', {
          select: field('requests'),
          from: 'gate_requests',
          where: [...measured, named, `"side" = 'head'`],
          by: ['endpoint'],
        }),
      ],
    }),
  )
  .withRow(new RowBuilder('Machine, service and backing services'));

export const runDashboard = groups.reduce(
  (dashboard, group) => dashboard.withPanel(readingChart(group)),
  whole,
);
