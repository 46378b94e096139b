import { Argument } from 'commander';
import { sizeIn } from '../../../limits/stack-size.ts';
import {
  climb,
  readUsers,
  type StaircaseOptions,
  staircaseConfig,
  staircaseOf,
  staircaseSuite,
  usualUsers,
} from '../../../limits/staircase/index.ts';
import type { MeasuredBlock } from '../../../measure/index.ts';
import type { Config } from '../../../model/config.ts';
import { Fault } from '../../../model/fault.ts';
import { staircaseFinding } from '../../../report/index.ts';
import { type Experiment, runExperiment } from '../../experiment.ts';
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
import { percentage, positiveNumber } from '../option-values.ts';

interface StaircaseFlags extends ExperimentFlags {
  readonly users?: readonly number[];
  readonly precision: number;
  readonly minutes: number;
  readonly target?: number;
  readonly all?: true;
}

export const command: CreateCommand = (context) =>
  experimentCommand('staircase', 'measure with more and more users, and find what limits the service')
    .addArgument(new Argument('[scenario]', 'scenario of the configuration (default: its only one)'))
    .option('--users <list>', 'numbers of users, as 10,25,50 or 10..800 (doubling)', readUsers)
    .option('--precision <percent>', 'how narrow the interval of throughput is to be', percentage, 0.05)
    .option('--minutes <number>', 'minutes at most, with the boot of the service', positiveNumber(), 8)
    .option(
      '--target <ms>',
      'p95 that should hold (default: the smallest mean or p95 among the objectives)',
      positiveNumber(),
    )
    .option(...instancesOption)
    .option(...cpusOption)
    .option('--all', 'go on although throughput no longer grows')
    .action((scenario: string | undefined, flags: StaircaseFlags) => staircase(scenario, flags, context));

async function staircase(
  named: string | undefined,
  flags: StaircaseFlags,
  context: CommandContext,
): Promise<void> {
  const { settings, terminal, signal } = context;
  const begun = performance.now();
  const users = flags.users ?? usualUsers;
  await runExperiment(
    { configPath: flags.config, stack: flags.stack, size: flags },
    settingsOf(flags, settings),
    terminal.onProgress,
    signal,
    async (experiment) => {
      const { config, id, code, machine } = experiment;
      const scenario = named ?? onlyScenario(config);
      const taken: MeasuredBlock[][] = [];
      const options: StaircaseOptions = {
        users,
        precision: flags.precision,
        seconds: 60 * flags.minutes,
        elapsed: () => (performance.now() - begun) / 1000,
        all: flags.all ?? false,
      };
      const about = { id, scenario, commit: code.commit, machine, startedAt: new Date().toISOString() };
      const show = (partial: { readonly partial?: string }) => {
        const steps = taken.map((blocks, index) => ({ users: users[index] ?? 0, blocks }));
        const result = staircaseOf(
          { ...about, ...partial },
          steps,
          flags.target ?? targetOf(config, scenario),
          sizeIn(config, experiment.stack),
        );
        return showFinding(
          experiment,
          'staircase',
          { finding: staircaseFinding(result), result },
          flags,
          context,
        );
      };
      await showingWhatIsMeasured(
        () => measure(experiment, scenario, options, taken, terminal.onProgress),
        () => taken.some((blocks) => blocks.length > 0),
        show,
      );
    },
  );
}

function measure(
  { config, onService }: Experiment,
  scenario: string,
  options: StaircaseOptions,
  taken: MeasuredBlock[][],
  onProgress: CommandContext['terminal']['onProgress'],
): Promise<void> {
  const changed = staircaseConfig(config, scenario, options.users);
  return onService(changed, staircaseSuite, ({ cells, take }) =>
    climb(
      cells,
      options,
      {
        take: (cell, round, done) => {
          const secondsLeft = Math.max(0, options.seconds - options.elapsed());
          return take(cell, {
            round,
            name: `${scenario} with ${cell.vus} users`,
            progress: () => ({ done, secondsLeft }),
          });
        },
        note: (text) => onProgress({ kind: 'note', text }),
      },
      taken,
    ),
  );
}

function onlyScenario({ scenarios }: Config): string {
  const [name = '', ...others] = Object.keys(scenarios);
  if (others.length === 0) return name;
  throw new Fault({
    code: 'E_SCENARIO_CHOICE',
    kind: 'usage',
    place: 'gate staircase',
    cause: `gate.yml has several scenarios: ${[name, ...others].join(', ')}`,
    nextStep: `name one, such as \`gate staircase ${name}\``,
  });
}

/** Objectives of a mean are stricter than ones of p95, so p95 is held against them too. */
function targetOf({ scenarios }: Config, scenario: string): number | undefined {
  const targets = Object.values(scenarios[scenario]?.loads ?? {}).flatMap(({ objectives }) =>
    [objectives.p95Ms, objectives.meanMs].filter((value) => value !== undefined),
  );
  return targets.length === 0 ? undefined : Math.min(...targets);
}
