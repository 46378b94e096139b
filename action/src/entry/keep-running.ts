import { resolve } from 'node:path';
import { loadConfig } from '../adapters/config/index.ts';
import { createSystemClock, untilAborted } from '../adapters/host/index.ts';
import type { BootedService, ProgressListener } from '../measure/index.ts';
import type { StackKind } from '../model/config.ts';
import { fillDashboards } from './filled-dashboards.ts';
import { inLockedCheckout } from './in-locked-checkout.ts';
import { noteKeeper } from './kept-stack.ts';
import { withoutOutputSecrets } from './outputs.ts';
import { requireLinux, type Settings } from './settings.ts';
import { chooseStack, type StackRequest } from './stack.ts';
import { newRunId, openWorkspace } from './workspace.ts';

export interface KeepRequest {
  /** Path of gate.yml. */
  readonly configPath: string;
  readonly stack: StackKind | undefined;
  /** Profiles of the compose file to start too. */
  readonly profiles: readonly string[];
}

/** Starts the service with its data, calls `ready`, and keeps everything running until the signal or a failure. */
export async function keepRunning(
  { configPath, stack: kind, profiles }: KeepRequest,
  given: Settings,
  onProgress: ProgressListener,
  ready: (service: BootedService) => void,
  signal: AbortSignal,
): Promise<never> {
  requireLinux(given.platform);
  const { config, directory } = loadConfig(resolve(given.workingDirectory, configPath));
  const settings: Settings = { ...given, env: withoutOutputSecrets(given.env, config.outputs) };
  const clock = createSystemClock();
  const note = (text: string) => onProgress({ kind: 'note', text });
  const request: StackRequest = {
    config,
    configPath,
    configDirectory: directory,
    settings,
    workspace: openWorkspace(settings.root, newRunId(clock.now())),
    cacheDirectory: settings.cacheDirectory,
    clock,
    profiles,
    note,
  };
  const chosen = chooseStack(kind, request);
  return inLockedCheckout(request, chosen, async () => {
    const stack = chosen.create();
    // Before the stack starts, so that `gate down` ends a start too.
    const forget = noteKeeper(settings);
    const inPhase = async <T>(phase: string, detail: string, work: () => Promise<T>) => {
      const from = clock.monotonicMs();
      onProgress({ kind: 'phase', phase, detail });
      const result = await work();
      onProgress({ kind: 'phase-done', phase, seconds: (clock.monotonicMs() - from) / 1000 });
      return result;
    };
    try {
      await inPhase('build', 'what changed since the last build', () => stack.prepare(signal));
      await inPhase('data', 'backing services with restored data', () => stack.up(signal));
      const service = await inPhase('boot', 'service', () => stack.boot(signal));
      await service.limitCpu?.();
      await fillDashboards(service, config.name, settings, note, signal);
      ready(service);
      return await untilAborted(signal, () => service.failure);
    } finally {
      await stack.down();
      forget();
    }
  });
}
