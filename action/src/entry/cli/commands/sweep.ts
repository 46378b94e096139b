import { Argument } from 'commander';
import { loadOfCell } from '../../../limits/one-cell.ts';
import { sizeIn } from '../../../limits/stack-size.ts';
import {
  mostBlocks,
  parseReplace,
  parseSet,
  requestedSweep,
  requireArguments,
  type SweepPort,
  type SweepTaken,
  sweep,
  sweepConfig,
  sweepOf,
  sweepSuite,
  takeBlocks,
  usualPasses,
  withVariant,
} from '../../../limits/sweep/index.ts';
import type { Config } from '../../../model/config.ts';
import { Fault } from '../../../model/fault.ts';
import { instancesName, sweptNames, variantText } from '../../../model/sweep.ts';
import { sweepFinding } from '../../../report/index.ts';
import { type Experiment, runExperiment } from '../../experiment.ts';
import type { CommandContext, CreateCommand } from '../command.ts';
import {
  cpusOption,
  type ExperimentFlags,
  experimentCommand,
  showFinding,
  showingWhatIsMeasured,
} from '../experiment-command.ts';
import { settingsOf } from '../measuring-command.ts';
import { percentage, positiveNumber, wholeNumber } from '../option-values.ts';

type Swept = ReturnType<typeof parseSet>;

interface SweepFlags extends Omit<ExperimentFlags, 'instances'> {
  readonly instances: readonly Swept[];
  readonly scenario?: string;
  readonly set: readonly Swept[];
  readonly replace: readonly Swept[];
  readonly passes?: number;
  readonly minutes?: number;
  readonly tolerance: number;
}

/** A boot with fewer seconds shows nothing but the boot. */
const leastSecondsPerBoot = 15;
/** Beyond this share of the planned time, a boot is worth a remark. */
const slowShare = 1.25;

export const command: CreateCommand = (context) =>
  experimentCommand('sweep', 'measure with one value after the other of a setting, and find the best')
    .addArgument(new Argument('[name]', 'a sweep of the configuration, or a cell as scenario@load'))
    .option('--scenario <cell>', 'cell to load with, instead of the one that the sweep names')
    .option('--set <name=values>', 'variable and its values, as DB_POOL_SIZE=1..10,17', collect(parseSet), [])
    .option(
      '--replace <arguments>',
      "argument of the service's command and others for it, as -Xmx512m,-Xmx1g",
      collect(parseReplace),
      [],
    )
    .option(
      '--instances <list>',
      'numbers of instances behind a balancer, as 1,2',
      collect((text) => parseSet(`${instancesName}=${text}`)),
      [],
    )
    .option(...cpusOption)
    .option(
      '--passes <number>',
      'boots of each value (default: 2, more for fewer than seven values)',
      wholeNumber(20, 2),
    )
    .option('--minutes <number>', 'minutes for all boots (default: one for each)', positiveNumber())
    .option(
      '--tolerance <percent>',
      'how much worse a value may be before it counts as worse',
      percentage,
      0.05,
    )
    .action((named: string | undefined, flags: SweepFlags) => sweepValues(named, flags, context));

function collect(parse: (text: string) => Swept) {
  return (text: string, before: readonly Swept[]) => [...before, parse(text)];
}

async function sweepValues(
  named: string | undefined,
  flags: SweepFlags,
  context: CommandContext,
): Promise<void> {
  const { settings, terminal, signal } = context;
  await runExperiment(
    { configPath: flags.config, stack: flags.stack, size: { cpus: flags.cpus } },
    settingsOf(flags, settings),
    terminal.onProgress,
    signal,
    async (experiment) => {
      const { config, id, code, machine } = experiment;
      const { cell, variants } = requestedSweep(config, {
        named,
        scenario: flags.scenario,
        variables: [...flags.set, ...flags.replace, ...flags.instances],
      });
      requireArguments(config, experiment.stack, variants);
      const passes = flags.passes ?? usualPasses(variants.length);
      const boots = variants.length * passes;
      const seconds = 60 * (flags.minutes ?? boots);
      if (seconds / boots < leastSecondsPerBoot) throw tooShort(boots, seconds / boots);
      const changed = sweepConfig(config, cell, seconds / boots);
      const size = sizeIn(config, experiment.stack);
      const about = {
        id,
        cell,
        commit: code.commit,
        machine,
        startedAt: new Date().toISOString(),
        figure: loadOfCell(config, cell)?.vus === undefined ? 'p95' : 'tps',
        tolerance: flags.tolerance,
        ...(size.cpus !== undefined && { cpus: size.cpus * (size.instances ?? 1) }),
      } as const;
      const taken: SweepTaken[] = [];
      const options = {
        variants,
        passes,
        seconds,
        figure: about.figure,
        mostErrors: config.tolerances.errorRate,
        keepsAll: sweptNames(variants).join() === instancesName,
      };
      terminal.onProgress({
        kind: 'note',
        text: `${variants.length} values, each in ${passes} boots of ${(seconds / boots).toFixed(0)} s: ${Math.ceil(seconds / 60)} min`,
      });
      const port = portOf(experiment, changed, sweptNames(variants), terminal.onProgress);
      await showingWhatIsMeasured(
        () => sweep(options, port, taken),
        () => taken.some((one) => one.boots.length > 0),
        (partial) => {
          const result = sweepOf({ ...about, ...partial }, taken);
          return showFinding(experiment, 'sweep', { finding: sweepFinding(result), result }, flags, context);
        },
      );
    },
  );
}

function portOf(
  { onService }: Experiment,
  config: Config,
  names: readonly string[],
  onProgress: CommandContext['terminal']['onProgress'],
): SweepPort {
  const begun = performance.now();
  const elapsed = () => (performance.now() - begun) / 1000;
  const note = (text: string) => onProgress({ kind: 'note', text });
  let boots = 0;
  return {
    elapsed,
    note,
    measure: async (values, { seconds, done, secondsLeft }) => {
      const from = elapsed();
      const name = variantText(values, names);
      boots += 1;
      note(`boot ${boots}: ${name}`);
      const firstRound = (boots - 1) * mostBlocks;
      const progress = () => ({ done, secondsLeft });
      const blocks = await onService(withVariant(config, values), sweepSuite, ({ cells: [cell], take }) => {
        if (cell === undefined) throw new Error('the suite has no cell');
        return takeBlocks((nth) => take(cell, { name, round: firstRound + nth, progress }), {
          elapsed,
          until: from + seconds,
        });
      });
      const took = elapsed() - from;
      if (boots === 1 && took > slowShare * seconds) {
        note(
          `a boot takes ${took.toFixed(0)} s instead of ${seconds.toFixed(0)} s, so the sweep takes longer`,
        );
      }
      return blocks;
    },
  };
}

function tooShort(boots: number, seconds: number): Fault {
  return new Fault({
    code: 'E_SWEEP_SHORT',
    kind: 'usage',
    place: '--minutes',
    cause: `${boots} boots would have ${seconds.toFixed(0)} s each, and a boot needs ${leastSecondsPerBoot} s`,
    nextStep: `give it ${Math.ceil((boots * leastSecondsPerBoot) / 60)} minutes or more, or fewer values`,
  });
}
