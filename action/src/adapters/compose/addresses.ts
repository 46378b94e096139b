import type { BootedService } from '../../measure/index.ts';
import type { ComposeStackConfig } from '../../model/config.ts';
import { Fault } from '../../model/fault.ts';
import { answersOk } from '../process/index.ts';
import type { Container } from './containers.ts';

/**
 * Where the service and the metrics are reached. A published port is served by a process of the engine that copies
 * every byte (docker-proxy), whose CPU the load would pay for. So where this machine reaches the containers' own
 * network, which it does on Linux, requests go there directly.
 */
export async function serviceUrls(
  containers: readonly Container[],
  config: ComposeStackConfig,
  note: (text: string) => void,
  signal: AbortSignal,
): Promise<Pick<BootedService, 'url' | 'metricsUrl' | 'backingMetricsUrl'>> {
  const { service, port, ready, metrics, backingMetrics } = config;
  const own = containers.find((container) => container.service === service)?.address;
  const direct = own !== undefined && (await answersOk(`http://${own}:${ready.port}${ready.path}`, signal));
  if (!direct) note('requests go through published ports, since the containers are not reached directly');
  const addressOf = direct ? directAddress : publishedAddress;
  return {
    url: `http://${addressOf(containers, service, port)}`,
    ...(metrics === undefined
      ? {}
      : { metricsUrl: `http://${addressOf(containers, service, metrics.port)}${metrics.path}` }),
    ...(backingMetrics === undefined
      ? {}
      : {
          backingMetricsUrl: `http://${addressOf(containers, backingMetrics.service, backingMetrics.port)}${backingMetrics.path}`,
        }),
  };
}

/** One without a network of its own, such as the host's or another container's, is reached by what it publishes. */
function directAddress(containers: readonly Container[], service: string, port: number): string {
  const address = containers.find((container) => container.service === service)?.address;
  return address === undefined ? publishedAddress(containers, service, port) : `${address}:${port}`;
}

/** Throws a Fault if the port is not published. */
export function publishedAddress(containers: readonly Container[], service: string, port: number): string {
  const address = containers.find((container) => container.service === service)?.published.get(port);
  if (address !== undefined) return address;
  throw new Fault({
    code: 'E_COMPOSE_PORT',
    kind: 'measurement',
    place: `service ${service}`,
    cause: `port ${port} is not published on this machine`,
    nextStep: 'look at its `ports` and `network_mode` in the compose file',
  });
}
