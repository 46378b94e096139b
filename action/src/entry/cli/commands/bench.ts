import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Argument, type Command } from 'commander';
import { z } from 'zod';
import { loadConfig } from '../../../adapters/config/index.ts';
import { createSystemClock } from '../../../adapters/host/index.ts';
import type { ProgressListener } from '../../../measure/index.ts';
import { Fault } from '../../../model/fault.ts';
import { type BenchFigures, benchReport } from '../../../report/index.ts';
import { exitCodeOfMeasuring } from '../../exit-code.ts';
import { withoutOutputSecrets } from '../../outputs.ts';
import { type CheckRequest, runCheck } from '../../run-check.ts';
import type { Settings } from '../../settings.ts';
import { chooseStack } from '../../stack.ts';
import { lockCheckout, newRunId, openWorkspace, type Workspace } from '../../workspace.ts';
import type { CreateCommand } from '../command.ts';
import { benchDetection, type DetectionFlags } from '../detection-bench.ts';
import { checkRequest, type MeasuringFlags, measuringCommand, settingsOf } from '../measuring-command.ts';
import { wholeNumber } from '../option-values.ts';
import { benchReportOf } from '../report-bench.ts';

const memorySchema = z.object({
  requests: z.number(),
  rssBytes: z.number(),
  microsPerRequest: z.number(),
});

/** Three sizes show that memory does not grow with the number of requests. */
const sampleCounts = [100_000, 1_000_000, 4_000_000];

type What = 'check' | 'report' | 'detection';

const ofDetection = ['checks', 'explain', 'scene', 'check', 'write'] as const;

function needsDetection(option: string): Fault {
  return new Fault({
    code: 'E_BENCH_OPTION',
    kind: 'usage',
    place: `--${option}`,
    cause: 'only `gate bench detection` has this option',
    nextStep: 'run `gate bench detection` with it, or leave it out',
  });
}

export const command: CreateCommand = ({ settings, terminal, signal, exit }) =>
  measuringCommand('bench', 'print figures of the measuring itself: seeding, boot, throughput, memory')
    .addArgument(
      new Argument(
        '[what]',
        'measure a check, make the page of the newest finished check (report), or judge recorded and simulated checks (detection)',
      )
        .choices(['check', 'report', 'detection'])
        .default('check'),
    )
    .option('--checks <number>', 'detection: simulated checks in each world', wholeNumber(1_000_000), 10_000)
    .option('--explain <rule>', 'detection: show the recorded checks of a rule one by one, such as bencher-t')
    .option('--scene <name>', 'detection: with this change put into them, such as "cpu 10%"', 'unchanged')
    .option('--check', 'detection: fail if rates differ from those that are kept')
    .option('--write', 'detection: keep the results next to the recorded rows')
    .action(async (what: What, flags: MeasuringFlags & DetectionFlags, command: Command) => {
      const given = ofDetection.find((name) => command.getOptionValueSource(name) === 'cli');
      if (given !== undefined && what !== 'detection') throw needsDetection(given);
      const own = settingsOf(flags, settings);
      if (what === 'detection') return benchDetection(flags, { settings: own, terminal, signal });
      if (what === 'report') return benchReportOf({ settings: own, terminal });
      const figures = await bench(checkRequest(flags, 'none'), own, terminal.onProgress, signal);
      terminal.print(benchReport(figures, terminal.paintOut));
      exit(exitCodeOfMeasuring(figures.verdict));
    });

/** Measures what a cold start costs, what the machine delivers and what the engine itself needs. */
async function bench(
  request: CheckRequest,
  settings: Settings,
  onProgress: ProgressListener,
  signal: AbortSignal,
): Promise<BenchFigures> {
  const { measured, verdict, resultDirectory, cutShort } = await runCheck(
    request,
    settings,
    onProgress,
    signal,
  );
  if (cutShort !== undefined) throw cutShort.cause;
  const { run } = measured;
  // The run has built everything by now, so the cold start measures only the data.
  const cold = await coldData(request, settings, onProgress, signal);
  const engine = [];
  for (const samples of sampleCounts) {
    onProgress({ kind: 'note', text: `reading ${samples} requests` });
    engine.push(await engineMemory(samples));
  }
  return { cold, run, verdict, engine, resultDirectory };
}

/** Seeds into an empty cache, which is then removed. */
async function coldData(
  request: CheckRequest,
  settings: Settings,
  onProgress: ProgressListener,
  signal: AbortSignal,
): Promise<Readonly<Record<string, number>>> {
  const { config, directory } = loadConfig(resolve(settings.workingDirectory, request.configPath));
  const clock = createSystemClock();
  const workspace = openWorkspace(settings.root, newRunId(clock.now()));
  return withEmptyCache(settings.cacheDirectory, workspace, async (cacheDirectory) => {
    const stack = chooseStack(request.stack, {
      config,
      configPath: request.configPath,
      configDirectory: directory,
      settings: { ...settings, env: withoutOutputSecrets(settings.env, config.outputs) },
      workspace,
      cacheDirectory,
      clock,
      note: (text) => onProgress({ kind: 'note', text }),
    }).create();
    try {
      await stack.prepare(signal);
      onProgress({ kind: 'phase', phase: 'cold data', detail: 'seeding into an empty cache' });
      const from = clock.monotonicMs();
      const steps = await stack.up(signal);
      onProgress({ kind: 'phase-done', phase: 'cold data', seconds: (clock.monotonicMs() - from) / 1000 });
      return steps;
    } finally {
      await stack.down();
    }
  });
}

/** Removes the cache, which holds a whole seed, and unlocks the checkout even if the work fails. */
export async function withEmptyCache<T>(
  parent: string,
  workspace: Workspace,
  work: (cacheDirectory: string) => Promise<T>,
): Promise<T> {
  const release = await lockCheckout(workspace);
  try {
    mkdirSync(parent, { recursive: true });
    const cacheDirectory = mkdtempSync(join(parent, 'bench-'));
    try {
      return await work(cacheDirectory);
    } finally {
      rmSync(cacheDirectory, { recursive: true, force: true });
    }
  } finally {
    await release();
  }
}

async function engineMemory(samples: number): Promise<z.output<typeof memorySchema>> {
  const script = join(import.meta.dirname, '../engine-memory.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [script, String(samples)]);
  return memorySchema.parse(JSON.parse(stdout));
}
