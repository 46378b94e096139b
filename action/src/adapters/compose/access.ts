import type { BootedService, ProcessReading } from '../../measure/index.ts';
import type { ComposeStackConfig } from '../../model/config.ts';
import { Fault } from '../../model/fault.ts';
import { CgroupReader, mainProcessName } from '../machine/index.ts';
import { answersOk } from '../process/index.ts';
import type { ComposeConfig } from './compose-file.ts';
import type { Container } from './containers.ts';

/**
 * Finds the addresses of the service and the metrics. A process of the engine (docker-proxy) copies every byte of a
 * published port and would spend CPU on the load. Where this machine reaches the containers' own network, as on Linux,
 * requests go there directly.
 */
export async function serviceUrls(
  containers: readonly Container[],
  config: ComposeStackConfig,
  note: (text: string) => void,
  signal: AbortSignal,
): Promise<{
  readonly urls: readonly string[];
  readonly metricsUrls: readonly string[];
  readonly backingMetricsUrls: readonly string[];
}> {
  const { service, port, ready, metrics, backingMetrics } = config;
  const instances = containersOf(containers, service);
  const own = instances[0]?.address;
  const direct = own !== undefined && (await answersOk(`http://${own}:${ready.port}${ready.path}`, signal));
  if (!direct) note("requests go through published ports, because the containers' network is not reachable");
  const urlOf = (container: Container | undefined, name: string, containerPort: number, path: string) => {
    // A container without a network of its own, such as one on the host's, is reached by its published port.
    const address = direct ? container?.address : undefined;
    const host =
      address === undefined
        ? publishedAddress(container, name, containerPort)
        : `${address}:${containerPort}`;
    return `http://${host}${path}`;
  };
  const ofInstances = (containerPort: number, path: string) =>
    instances.map((container) => urlOf(container, service, containerPort, path));
  return {
    urls: ofInstances(port, ''),
    metricsUrls: metrics === undefined ? [] : ofInstances(metrics.port, metrics.path),
    backingMetricsUrls: backingMetrics.map((page) =>
      urlOf(containersOf(containers, page.service)[0], page.service, page.port, page.path),
    ),
  };
}

/** Where a person reaches the services of profiles, which serve people and not the service under test. */
export function profileAddresses(
  containers: readonly Container[],
  { services }: ComposeConfig,
): Readonly<Record<string, string>> {
  const ofProfiles = containers.flatMap(({ service, published }) => {
    const [address] = published.values();
    const profiles = services[service]?.profiles ?? [];
    return profiles.length === 0 || address === undefined ? [] : [[service, `http://${address}`] as const];
  });
  return Object.fromEntries(ofProfiles);
}

/** Reads usage from the control groups of the containers that run now: by role, and CPU by main process. */
export function usageReader(
  containers: readonly Container[],
  underTest: string,
  note: (text: string) => void,
): Pick<BootedService, 'readUsage' | 'readBackingCpuSeconds'> {
  const names = new Map<CgroupReader, string>();
  const readers: Record<'service' | 'backing', CgroupReader[]> = { service: [], backing: [] };
  for (const container of containers) {
    const { service, pid } = container;
    if (pid === 0) continue;
    const reader = CgroupReader.ofContainer(container);
    if (reader === undefined) note(`the CPU and memory of ${service} are not readable from here`);
    else {
      readers[service === underTest ? 'service' : 'backing'].push(reader);
      names.set(reader, mainProcessName(pid) ?? service);
    }
  }
  return {
    readUsage: () => ({ service: sum(readers.service), backing: sum(readers.backing) }),
    readBackingCpuSeconds: () => {
      const byName = Map.groupBy(readers.backing, (reader) => names.get(reader) ?? '');
      return Object.fromEntries([...byName].map(([name, group]) => [name, sum(group).cpuSeconds]));
    },
  };
}

function sum(readers: readonly CgroupReader[]): ProcessReading {
  const readings = readers.map((reader) => reader.read());
  return {
    cpuSeconds: readings.reduce((total, { cpuSeconds }) => total + cpuSeconds, 0),
    rssBytes: readings.reduce((total, { rssBytes }) => total + rssBytes, 0),
  };
}

/** The containers of a service in the order of their numbers. */
export function containersOf(containers: readonly Container[], service: string): readonly Container[] {
  return containers
    .filter((container) => container.service === service)
    .toSorted((a, b) => a.number - b.number);
}

/** Where this machine reaches a port of the container. Throws a Fault if it is not published. */
export function publishedAddress(container: Container | undefined, service: string, port: number): string {
  const address = container?.published.get(port);
  if (address !== undefined) return address;
  throw new Fault({
    code: 'E_COMPOSE_PORT',
    kind: 'measurement',
    place: `service ${service}`,
    cause: `port ${port} is not published on this machine`,
    nextStep: 'check its `ports` and `network_mode` in the compose file',
  });
}
