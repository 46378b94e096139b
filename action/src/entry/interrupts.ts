import { exitCodes } from '../model/fault.ts';

/** Asked to stop from outside; the reason that everything under way is aborted with. */
export class Interrupted extends Error {
  readonly exitCode: number;

  constructor(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP') {
    super(`stopped by ${signal}`);
    this.name = 'Interrupted';
    this.exitCode = signal === 'SIGINT' ? exitCodes.interrupted : exitCodes.terminated;
  }
}

/** Turns the first signal into an orderly stop. A later one changes nothing: the stop is bounded in time. */
export function abortOnSignals(
  source: NodeJS.Process,
  onFirst: (signal: NodeJS.Signals) => void,
): { signal: AbortSignal; dispose: () => void } {
  const controller = new AbortController();
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const handlers = names.map((name) => {
    const handler = () => {
      if (controller.signal.aborted) return;
      onFirst(name);
      controller.abort(new Interrupted(name));
    };
    source.on(name, handler);
    return () => source.off(name, handler);
  });
  return {
    signal: controller.signal,
    dispose: () => {
      for (const off of handlers) off();
    },
  };
}
