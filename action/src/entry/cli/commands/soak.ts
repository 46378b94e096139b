import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Argument } from 'commander';
import { createPrometheusReader } from '../../../adapters/machine/index.ts';
import { loadOfCell } from '../../../limits/one-cell.ts';
import { type SoakBlock, soak, soakConfig, soakOf, soakSuite } from '../../../limits/soak/index.ts';
import { sizeIn } from '../../../limits/stack-size.ts';
import { readAtRest, type SteadyService } from '../../../measure/index.ts';
import { exitCodes, Fault } from '../../../model/fault.ts';
import { soakOutcome } from '../../../model/soak.ts';
import { soakFinding } from '../../../report/index.ts';
import { runExperiment } from '../../experiment.ts';
import type { CommandContext, CreateCommand } from '../command.ts';
import {
  cpusOption,
  type ExperimentFlags,
  experimentCommand,
  instancesOption,
  showFinding,
  showingWhatIsMeasured,
} from '../experiment-command.ts';
import { settingsOf } from '../measuring-command.ts';
import { durationInSeconds } from '../option-values.ts';

interface SoakFlags extends ExperimentFlags {
  readonly for: number;
  readonly block: number;
}

/** Fewer blocks show no trend. */
const leastBlocks = 8;

export const command: CreateCommand = (context) =>
  experimentCommand(
    'soak',
    'load the service for long, and find what grows: heap, threads, connections, files',
  )
    .addArgument(new Argument('<cell>', 'scenario@load of the configuration'))
    .option('--for <duration>', 'how long, after the warm-up', durationInSeconds, 1800)
    .option(
      '--block <duration>',
      'length of a block, after which the heap is looked at',
      durationInSeconds,
      30,
    )
    .option(...instancesOption)
    .option(...cpusOption)
    .action((cell: string, flags: SoakFlags) => soakCell(cell, flags, context));

async function soakCell(cell: string, flags: SoakFlags, context: CommandContext): Promise<void> {
  const { settings, terminal, signal, exit } = context;
  if (flags.for < leastBlocks * flags.block) {
    throw new Fault({
      code: 'E_SOAK_SHORT',
      kind: 'usage',
      place: '--for',
      cause: `${flags.for} s are fewer than ${leastBlocks} blocks of ${flags.block} s, which a trend needs`,
      nextStep: 'load for longer, or use shorter blocks with --block',
    });
  }
  await runExperiment(
    { configPath: flags.config, stack: flags.stack, size: flags },
    settingsOf(flags, settings),
    terminal.onProgress,
    signal,
    async (experiment) => {
      const { config, id, code, machine, resultDirectory } = experiment;
      const changed = soakConfig(config, cell, flags.block);
      const { vus, arrival } = loadOfCell(config, cell) ?? {};
      const taken: SoakBlock[] = [];
      const log = join(resolve(settings.workingDirectory, resultDirectory), 'service.log');
      const about = {
        id,
        cell,
        ...(vus !== undefined && { vus }),
        ...(arrival !== undefined && { arrival: arrival.rate / arrival.per }),
        commit: code.commit,
        machine,
        blockSeconds: flags.block,
        startedAt: new Date().toISOString(),
      };
      const show = async (partial: { readonly partial?: string }) => {
        const { instances } = sizeIn(config, experiment.stack);
        const result = soakOf({ ...about, ...partial }, taken, instances);
        await showFinding(experiment, 'soak', { finding: soakFinding(result), result }, flags, context);
        const leaking = result.series.filter(({ trend }) => trend?.leaks).map(({ name }) => name);
        const dump = taken.at(-1)?.threadDump;
        if (leaking.includes('liveThreads') && dump !== undefined) {
          await experiment.write([{ name: 'threads.txt', text: dump }]);
        }
        const outcome = soakOutcome(result);
        if (outcome === 'leaks') exit(exitCodes.regression);
        else if (outcome === 'failing' || outcome === 'short') exit(exitCodes.notMeasured);
      };
      await showingWhatIsMeasured(
        () =>
          experiment.onService(changed, soakSuite, (steady, guarded) =>
            loadFor(flags.for / 60, cell, steady, log, taken, guarded),
          ),
        () => taken.length > 0,
        show,
      );
    },
  );
}

function loadFor(
  minutes: number,
  name: string,
  { cells: [cell], take, service }: SteadyService,
  log: string,
  taken: SoakBlock[],
  signal: AbortSignal,
): Promise<void> {
  if (cell === undefined) throw new Error('the suite has no cell');
  const profiler =
    service.profiler === undefined || 'unavailable' in service.profiler ? undefined : service.profiler;
  const { liveObjects, threadDump } = profiler ?? {};
  const metrics = createPrometheusReader();
  const begun = performance.now();
  const passed = () => (performance.now() - begun) / 60_000;
  return soak(
    cell,
    minutes,
    {
      take: (planned, round, done) =>
        take(planned, {
          round,
          name,
          progress: () => ({ done, secondsLeft: Math.max(0, 60 * (minutes - passed())) }),
        }),
      ...(liveObjects && { liveObjects: () => liveObjects.call(profiler, signal) }),
      ...(threadDump && { threadDump: () => threadDump.call(profiler, signal) }),
      atRest: () => readAtRest(metrics, service, signal),
      logBytes: () => statSync(log, { throwIfNoEntry: false })?.size,
      minutes: passed,
    },
    taken,
  );
}
