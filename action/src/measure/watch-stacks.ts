import type { BootedService, Clock } from './ports.ts';

/** Time for a stack to report a failure that its silent service revealed first: a busy engine takes seconds for it. */
const failureGraceMs = 5_000;

/**
 * Runs work on booted services, and aborts it as soon as one of their stacks fails, so that the check reports the
 * failure and not its consequences. A stack that reports failures late may be noticed first by an unanswered request.
 */
export async function watching<T>(
  services: readonly BootedService[],
  clock: Clock,
  signal: AbortSignal,
  work: (guarded: AbortSignal) => Promise<T>,
): Promise<T> {
  const failed = new AbortController();
  for (const { failure } of services) failure.catch((fault: unknown) => failed.abort(fault));
  const late = services.filter(({ verify }) => verify !== undefined);
  const verifyAll = async () => {
    for (const service of late) await service.verify?.();
  };
  try {
    const result = await work(AbortSignal.any([signal, failed.signal]));
    await verifyAll();
    return result;
  } catch (error) {
    if (signal.aborted || late.length === 0) throw error;
    await Promise.race([...late.map(({ failure }) => failure), clock.wait(failureGraceMs, signal)]);
    await verifyAll();
    throw error;
  }
}
