import type { ConfigText } from '../../model/config.ts';

export type Signals = NonNullable<ConfigText['signals']>;

/** Counted costs that Spring Boot's Prometheus metrics have. `build` is the text that names the dependencies. */
export function springSignals(build: string): Signals {
  const hasPool = /spring-boot-starter-(data-)?(jpa|jdbc)(?![\w-])/.test(build);
  return { ...(hasPool && { connections }), logMessages };
}

const connections = {
  title: 'database connections taken per request',
  from: 'service',
  series: ['hikaricp_connections_acquire_seconds_count'],
  per: 'request',
  gate: 'fail',
  floor: 0.05,
  hint: 'A query in a loop outside a transaction, or a cache that no longer answers.',
} satisfies Signals[string];

const logMessages = {
  title: 'log messages per request',
  from: 'service',
  series: ['logback_events_total', 'log4j2_events_total'],
  per: 'request',
  gate: 'fail',
  tolerance: '10%',
  // One message more may be wanted, and the gate's own requests may be logged too. Debug output writes several.
  floor: 1.5,
  hint: 'A log level that was left at debug or trace, or a message within a loop.',
} satisfies Signals[string];
