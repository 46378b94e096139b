import { Argument } from 'commander';
import {
  gridOf,
  parseReplace,
  parseSet,
  type SweepTaken,
  sweep,
  sweepConfig,
  sweepOf,
  sweepSuite,
  withVariant,
} from '../../../limits/sweep/index.ts';
import type { MeasuredBlock, SteadyService } from '../../../measure/index.ts';
import { Fault } from '../../../model/fault.ts';
import { variantText } from '../../../model/sweep.ts';
import { sweepFinding } from '../../../report/index.ts';
import { runExperiment } from '../../experiment.ts';
import type { CommandContext, CreateCommand } from '../command.ts';
import {
  type ExperimentFlags,
  experimentCommand,
  showFinding,
  showingWhatIsMeasured,
} from '../experiment-command.ts';
import { settingsOf } from '../measuring-command.ts';
import { percentage, positiveNumber } from '../option-values.ts';

type Swept = ReturnType<typeof parseSet>;

interface SweepFlags extends ExperimentFlags {
  readonly set: readonly Swept[];
  readonly replace: readonly Swept[];
  readonly passes: number;
  readonly minutes: number;
  readonly tolerance: number;
}

/** A boot with fewer seconds shows nothing but the boot. */
const leastSecondsPerBoot = 15;
const leastBlocks = 3;
const mostBlocks = 8;

export const command: CreateCommand = (context) =>
  experimentCommand('sweep', 'measure with one value after the other of a setting, and find the best')
    .addArgument(new Argument('<cell>', 'scenario@load of the configuration'))
    .option('--set <name=values>', 'variable and its values, as DB_POOL_SIZE=1..10,17', collect(parseSet), [])
    .option(
      '--replace <arguments>',
      "argument of the service's command and others for it, as -Xmx512m,-Xmx1g",
      collect(parseReplace),
      [],
    )
    .option('--passes <number>', 'boots of each value', positiveNumber(20), 2)
    .option('--minutes <number>', 'minutes for all boots', positiveNumber(), 20)
    .option('--tolerance <percent>', 'how much worse is as good', percentage, 0.05)
    .action((cell: string, flags: SweepFlags) => sweepCell(cell, flags, context));

function collect(parse: (text: string) => Swept) {
  return (text: string, before: readonly Swept[]) => [...before, parse(text)];
}

async function sweepCell(cell: string, flags: SweepFlags, context: CommandContext): Promise<void> {
  const { settings, terminal, signal } = context;
  const passes = Math.max(2, Math.round(flags.passes));
  const variants = gridOf([...flags.set, ...flags.replace]);
  const secondsPerBoot = (60 * flags.minutes) / (variants.length * passes);
  if (secondsPerBoot < leastSecondsPerBoot) throw tooShort(variants.length * passes, secondsPerBoot);
  await runExperiment(
    { configPath: flags.config, stack: flags.stack },
    settingsOf(flags, settings),
    terminal.onProgress,
    signal,
    async (experiment) => {
      const { config, id, code, machine } = experiment;
      const changed = sweepConfig(config, cell, secondsPerBoot);
      const replaced = flags.replace.map(({ name }) => name);
      requireArguments(config.stack.process?.service.command ?? [], replaced);
      const [scenario = '', load = ''] = cell.split('@');
      const isOpen = config.scenarios[scenario]?.loads[load]?.vus === undefined;
      const about = {
        id,
        cell,
        commit: code.commit,
        machine,
        startedAt: new Date().toISOString(),
        figure: isOpen ? 'p95' : 'tps',
        tolerance: flags.tolerance,
      } as const;
      const taken: SweepTaken[] = [];
      let boots = 0;
      const port = {
        measure: (values: SweepTaken['values'], done: number) => {
          const until = performance.now() + 1000 * secondsPerBoot;
          const secondsLeft = 60 * flags.minutes * (1 - done);
          boots += 1;
          const options = {
            name: variantText(values),
            firstRound: boots * mostBlocks,
            until,
            done,
            secondsLeft,
          };
          terminal.onProgress({ kind: 'note', text: `boot ${boots}: ${options.name}` });
          return experiment.onService(withVariant(changed, values, replaced), sweepSuite, (steady) =>
            takeBlocks(steady, options),
          );
        },
        note: (text: string) => terminal.onProgress({ kind: 'note', text }),
      };
      await showingWhatIsMeasured(
        () => sweep({ variants, passes, figure: about.figure }, port, taken),
        () => taken.some((one) => one.boots.length > 0),
        (partial) => {
          const result = sweepOf({ ...about, ...partial }, taken);
          return showFinding(experiment, 'sweep', { finding: sweepFinding(result), result }, flags, context);
        },
      );
    },
  );
}

interface BootOptions {
  readonly name: string;
  readonly firstRound: number;
  /** In the time of `performance.now()`. */
  readonly until: number;
  readonly done: number;
  readonly secondsLeft: number;
}

async function takeBlocks(
  { cells: [cell], take }: SteadyService,
  { name, firstRound, until, done, secondsLeft }: BootOptions,
): Promise<readonly MeasuredBlock[]> {
  if (cell === undefined) throw new Error('the suite has no cell');
  const blocks: MeasuredBlock[] = [];
  while (blocks.length < leastBlocks || (blocks.length < mostBlocks && performance.now() < until)) {
    const round = firstRound + blocks.length;
    blocks.push(await take(cell, { round, name, progress: () => ({ done, secondsLeft }) }));
  }
  return blocks;
}

function requireArguments(command: readonly string[], names: readonly string[]): void {
  const unknown = names.find((name) => !command.includes(name));
  if (unknown === undefined) return;
  throw new Fault({
    code: 'E_SWEEP_SET',
    kind: 'usage',
    place: `--replace ${unknown}`,
    cause: `the command of the service has no argument ${unknown}`,
    nextStep: `name one of its arguments first: ${command.join(' ')}`,
  });
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
