import { RowBuilder } from '@grafana/grafana-foundation-sdk/dashboard';
import { page } from './page.ts';
import { chart } from './panels.ts';
import { perSecond, prometheus, series } from './promql.ts';
import { datasource } from './variables.ts';

const requests = (labels: string) => `http_server_requests_seconds_count{${labels}}`;
const booking = 'uri=~"/concerts.*|/queues.*"';

const panel = (
  title: string,
  description: string,
  unit: string,
  ...queries: readonly (readonly [legend: string, expression: string])[]
) =>
  chart({
    title,
    description,
    datasource: prometheus,
    unit,
    queries: queries.map(([legend, expression], index) =>
      series(legend, expression, String.fromCharCode(65 + index)),
    ),
  });

export const ticketingDashboard = page({
  name: 'ticketing',
  title: 'Ticketing',
  description:
    'The way of a buyer in the reference service: queue, seats, payment, and the events that follow.',
  from: 'now-30m',
  variables: [datasource('prometheus', 'Prometheus')],
})
  .withRow(new RowBuilder('Queue'))
  .withPanel(
    panel(
      'Joined and admitted',
      'Users who join the queue and users who are let in. Admissions below the joins make the queue longer.',
      'ops',
      ['joined', `sum(${perSecond(requests('uri="/queues/enqueue",status="201"'))})`],
      ['admitted', `sum(${perSecond('queue_admissions_total')})`],
    ),
  )
  .withPanel(
    panel(
      'Waiting',
      'Users in the queue, as each replica saw it last. A replica that nobody asks keeps its last value.',
      'short',
      ['waiting', 'max(queue_waiting)'],
    ),
  )
  .withRow(new RowBuilder('Booking'))
  .withPanel(
    panel('Answers', 'Answers of queue and booking, by path and status.', 'reqps', [
      '{{method}} {{uri}} {{status}}',
      `sum by (method, uri, status) (${perSecond(requests(booking))})`,
    ]),
  )
  .withPanel(
    panel(
      'p95',
      'Estimated from the histogram, so no more exact than its buckets: 5, 10, 25, 50, 100, 250, 500 ms and so on.',
      's',
      [
        '{{method}} {{uri}}',
        `histogram_quantile(0.95, sum by (le, method, uri) (${perSecond(`http_server_requests_seconds_bucket{${booking}}`)}))`,
      ],
    ),
  )
  .withPanel(
    panel(
      'Refused',
      'Seats that others hold or have bought (409), and tokens that are not admitted or not known (401, 403).',
      'reqps',
      ['{{status}}', `sum by (status) (${perSecond(requests(`${booking},status=~"4.."`))})`],
    ),
  )
  .withPanel(
    panel(
      'Connections of the pool',
      'Connections in use, and requests that wait for one.',
      'short',
      ['in use', 'sum(hikaricp_connections_active)'],
      ['waiting', 'sum(hikaricp_connections_pending)'],
    ),
  )
  .withRow(new RowBuilder('Outbox'))
  .withPanel(
    panel(
      'Events to deliver',
      'Events of payments that no broker has yet. Stuck are those of ten attempts and more.',
      'short',
      ['to deliver', 'max(outbox_backlog)'],
      ['stuck', 'max(outbox_stuck)'],
    ),
  )
  .withPanel(
    panel(
      'Sent',
      'Events that the broker took, and those that it did not.',
      'ops',
      ['sent', `sum(${perSecond('kafka_producer_record_send_total')})`],
      ['failed', `sum(${perSecond('kafka_producer_record_error_total')})`],
    ),
  )
  .withRow(new RowBuilder('Backing services'))
  .withPanel(
    panel(
      'SQL statements and row-lock waits',
      'What the database does, for booking and everything else.',
      'ops',
      ['statements', perSecond('mysql_global_status_questions')],
      ['waits for a row lock', perSecond('mysql_global_status_innodb_row_lock_waits')],
    ),
  )
  .withPanel(
    panel('Redis commands', 'Commands that Redis served, those of scripts included.', 'ops', [
      'commands',
      perSecond('redis_commands_processed_total'),
    ]),
  );
