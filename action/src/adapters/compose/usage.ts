import type { BootedService, ProcessReading } from '../../measure/index.ts';
import { CgroupReader } from '../machine/index.ts';
import type { Container } from './containers.ts';

/** Reads CPU and memory by role from the control groups of the containers as they are now. */
export function usageReader(
  containers: readonly Container[],
  underTest: string,
  note: (text: string) => void,
): BootedService['readUsage'] {
  const readers: Record<'service' | 'backing', CgroupReader[]> = { service: [], backing: [] };
  for (const container of containers) {
    const { service, pid } = container;
    if (pid === 0) continue;
    const reader = CgroupReader.ofContainer(container);
    if (reader === undefined) note(`the CPU and memory of ${service} cannot be read from here`);
    else readers[service === underTest ? 'service' : 'backing'].push(reader);
  }
  return () => ({ service: sum(readers.service), backing: sum(readers.backing) });
}

function sum(readers: readonly CgroupReader[]): ProcessReading {
  let cpuSeconds = 0;
  let rssBytes = 0;
  for (const reader of readers) {
    const reading = reader.read();
    cpuSeconds += reading.cpuSeconds;
    rssBytes += reading.rssBytes;
  }
  return { cpuSeconds, rssBytes };
}
