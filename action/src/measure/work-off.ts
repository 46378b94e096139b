import type { Block } from '../model/run.ts';
import type { MeasureContext } from './context.ts';
import { waitUntilIdle } from './idle.ts';
import type { BootedService } from './ports.ts';

/** Shorter waits are part of every block, and are not reported. */
export const reportedWaitSeconds = 2;

/** The previous block, and the service that took it. */
export interface FormerBlock {
  readonly service: BootedService;
  readonly block: Block;
}

/** Waits until the service has worked off the previous block, so that the next one begins with empty queues. */
export async function workOff(
  { tools: { clock, machine }, options, signal }: MeasureContext,
  { service, block }: FormerBlock,
  next: string,
): Promise<void> {
  const { cpuCount } = machine.describe();
  const { idle, seconds } = await waitUntilIdle(clock, service, block, cpuCount, signal);
  if (seconds < reportedWaitSeconds) return;
  const waited = `${seconds.toFixed(0)} s before ${next}`;
  const text = idle
    ? `the service worked off the load of the previous cell for ${waited}`
    : `the service was still busy without any load ${waited}; measuring anyway`;
  options.onProgress({ kind: 'note', text });
}
