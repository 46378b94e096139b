import type { ConfigText } from '../../model/config.ts';

export type Signals = NonNullable<ConfigText['signals']>;

/** Counted costs that Spring Boot's Prometheus metrics have. `build` is the text that names the dependencies. */
export function springSignals(build: string): Signals {
  if (!/spring-boot-starter-(data-)?(jpa|jdbc)(?![\w-])/.test(build)) return {};
  return {
    connections: {
      title: 'database connections taken per request',
      from: 'service',
      series: ['hikaricp_connections_acquire_seconds_count'],
      per: 'request',
      gate: 'fail',
      floor: 0.05,
      hint: 'A query in a loop outside a transaction, or a cache that no longer answers.',
    },
  };
}
