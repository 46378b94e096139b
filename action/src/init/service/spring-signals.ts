import type { ConfigText } from '../../model/config.ts';

export type Signals = NonNullable<ConfigText['signals']>;

/** What Spring Boot's metrics can count of a service. */
interface Metered {
  /** Text of the build, which names the dependencies. */
  readonly build: string;
  /** True if its actuator listens on a port of its own. */
  readonly separateManagementPort: boolean;
}

/** True if Spring Boot starts Tomcat, whose counters can be enabled without a change of the service. */
function hasTomcat(build: string): boolean {
  return (
    /spring-boot-starter-web(mvc)?(?![\w-])/.test(build) &&
    !/spring-boot-starter-(jetty|undertow)/.test(build)
  );
}

/**
 * Bytes are counted per port. On the port of the service they would include the metrics that the gate reads, which are
 * a larger share of a slow hour.
 */
function countsBytes({ build, separateManagementPort }: Metered): boolean {
  return separateManagementPort && hasTomcat(build);
}

/** Counted costs that fail the check, as far as the service's Prometheus metrics have them. */
export function springSignals(metered: Metered): Signals {
  const pooled = /spring-boot-starter-(data-)?(jpa|jdbc)(?![\w-])/.test(metered.build);
  return {
    ...(pooled
      ? {
          connections: {
            title: 'database connections taken per request',
            from: 'service' as const,
            series: ['hikaricp_connections_acquire_seconds_count'],
            per: 'request' as const,
            gate: 'fail' as const,
            floor: 0.05,
            hint: 'A query in a loop outside a transaction, or a cache that no longer answers.',
          },
        }
      : {}),
    ...(countsBytes(metered)
      ? {
          bytesSent: {
            title: 'bytes sent per request',
            from: 'service' as const,
            series: ['tomcat_global_sent_bytes_total'],
            per: 'request' as const,
            gate: 'fail' as const,
            unit: 'B',
            floor: 10,
            hint: 'A list without a limit, or fields that nobody reads.',
          },
        }
      : {}),
  };
}

/** Settings of the service without which it does not count. */
export function springSignalsEnv(metered: Metered): Record<string, string> {
  return countsBytes(metered) ? { SERVER_TOMCAT_MBEANREGISTRY_ENABLED: 'true' } : {};
}
