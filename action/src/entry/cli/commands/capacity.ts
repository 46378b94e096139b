import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { z } from 'zod';
import { withLoads } from '../../../adapters/config/index.ts';
import { readJsonFile, writeFault, writeFileAtomically } from '../../../adapters/host/index.ts';
import { capacityOf, carriedUsers } from '../../../limits/capacity/index.ts';
import type { Capacity, Demand } from '../../../model/capacity.ts';
import { Fault } from '../../../model/fault.ts';
import {
  capacityFinding,
  carriedFinding,
  type Finding,
  findingPage,
  findingText,
} from '../../../report/index.ts';
import type { CommandContext, CreateCommand } from '../command.ts';
import { editConfig } from '../edit-config.ts';
import { durationInSeconds, percentage, positiveNumber, wholeNumber } from '../option-values.ts';

interface CapacityFlags {
  readonly dailyUsers?: number;
  readonly requestsPerUser: number;
  readonly requestsPerPass?: number;
  readonly pass?: number;
  readonly peakFactor?: number;
  readonly peakShare?: number;
  readonly target: number;
  readonly databaseCores?: number;
  readonly from?: string;
  readonly write?: string;
  readonly force?: true;
  readonly page?: string;
  readonly config: string;
}

const usualPeakFactor = 4;
const hoursPerDay = 24;
/** No objective is known more exactly. */
const writtenDigits = 4;

/** As far as it is read. */
const staircaseSchema = z.object({
  steps: z.array(
    z.object({
      users: z.number(),
      tps: z.object({
        value: z.number(),
        low: z.number(),
        // JSON has no infinite numbers, so an interval without a bound has null.
        high: z
          .number()
          .nullable()
          .transform((high) => high ?? Number.POSITIVE_INFINITY),
      }),
      p95Ms: z.object({ value: z.number() }),
      errorRate: z.number(),
    }),
  ),
});

export const command: CreateCommand = (context) =>
  new Command('capacity')
    .description(
      'how many virtual users, requests per second and threads a day of users is, or the other way round',
    )
    .option('--daily-users <number>', 'users who come in a day', positiveNumber())
    .requiredOption('--requests-per-user <number>', 'requests of each in a day', positiveNumber())
    .option(
      '--pass <duration>',
      'time that a user needs for one pass, with thinking, such as 430s',
      durationInSeconds,
    )
    .option(
      '--requests-per-pass <number>',
      'requests in a pass (default: those of a user in a day)',
      positiveNumber(),
    )
    .option(
      '--peak-factor <number>',
      `the busiest hour, in averages (default: ${usualPeakFactor})`,
      positiveNumber(),
    )
    .addOption(
      new Option('--peak-share <percent>', "the busiest hour's share of a day")
        .argParser(percentage)
        .conflicts('peakFactor'),
    )
    .option('--target <duration>', 'response time that requests should have', durationInSeconds, 0.5)
    .option('--database-cores <number>', 'cores of the database, for the size of its pool', wholeNumber(9999))
    .addOption(
      new Option(
        '--from <file>',
        'staircase.json: answer how many users a day its machine carries',
      ).conflicts(['dailyUsers', 'write']),
    )
    .option('--write <scenario>', 'write loads `average` and `peak` with objectives into the configuration')
    .option('--force', 'replace loads of these names that have other users')
    .option('--page <file>', 'write the answer with its picture as an HTML page')
    .option('--config <file>', 'configuration file', 'perf/gate.yml')
    .action((flags: CapacityFlags) => capacity(flags, context));

async function capacity(flags: CapacityFlags, { settings, terminal }: CommandContext): Promise<void> {
  const show = async (finding: Finding) => {
    terminal.print(findingText(finding, { width: terminal.width, paint: terminal.paintOut }));
    if (flags.page !== undefined) await writePage(resolve(settings.workingDirectory, flags.page), finding);
  };
  const demand = demandOf(flags);
  if (flags.from !== undefined) {
    const { steps } = readStaircase(resolve(settings.workingDirectory, flags.from), flags.from);
    await show(carriedFinding(carriedUsers(steps, demand), demand));
    return;
  }
  if (flags.dailyUsers === undefined || flags.pass === undefined) {
    throw new Fault({
      code: 'E_CAPACITY_INPUT',
      kind: 'usage',
      place: 'gate capacity',
      cause: `${flags.dailyUsers === undefined ? '--daily-users' : '--pass'} is missing`,
      nextStep: 'give both, or --from staircase.json to learn how many users a day a machine carries',
    });
  }
  const result = capacityOf(demand);
  await show(capacityFinding(result));
  if (flags.write !== undefined)
    writeLoads(flags, flags.write, result, settings.workingDirectory, terminal.print);
}

async function writePage(path: string, finding: Finding): Promise<void> {
  try {
    await writeFileAtomically(path, findingPage(finding));
  } catch (error) {
    throw writeFault(error, path, 'E_RESULTS_WRITE');
  }
}

function demandOf(flags: CapacityFlags): Demand {
  const { requestsPerUser, peakShare, databaseCores } = flags;
  if (peakShare !== undefined && peakShare * hoursPerDay < 1) {
    throw new Fault({
      code: 'E_CAPACITY_INPUT',
      kind: 'usage',
      place: '--peak-share',
      cause: `the busiest hour has at least ${(100 / hoursPerDay).toFixed(1)}% of a day, an equal share`,
      nextStep: 'give the share of a day that falls into its busiest hour, such as 10%',
    });
  }
  return {
    dailyUsers: flags.dailyUsers ?? 0,
    requestsPerUser,
    requestsPerPass: flags.requestsPerPass ?? requestsPerUser,
    passSeconds: flags.pass ?? 0,
    peakFactor: flags.peakFactor ?? (peakShare === undefined ? usualPeakFactor : peakShare * hoursPerDay),
    targetSeconds: flags.target,
    ...(databaseCores !== undefined && { databaseCores }),
  };
}

function readStaircase(path: string, shown: string): z.output<typeof staircaseSchema> {
  return readJsonFile(path, staircaseSchema, {
    code: 'E_CAPACITY_STAIRCASE',
    kind: 'usage',
    place: shown,
    cause: 'it is not the staircase.json of a staircase',
    nextStep: 'run `gate staircase`, and name the file staircase.json in the folder of its results',
  });
}

function writeLoads(
  { config, force, target }: CapacityFlags,
  scenario: string,
  { loads }: Capacity,
  workingDirectory: string,
  print: (text: string) => void,
): void {
  const written = Object.fromEntries(
    loads.map(({ name, vus, tps }) => [
      name,
      { vus, objectives: { meanMs: 1000 * target, tps: Number(tps.toPrecision(writtenDigits)) } },
    ]),
  );
  print(
    editConfig({ workingDirectory, config }, 'these loads', (text) =>
      withLoads(text, scenario, written, { force: force === true, shown: config }),
    ),
  );
}
