import { join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { stackKinds } from '../../model/config.ts';
import { causeOf } from '../../model/fault.ts';
import { type Finding, findingPage, findingText } from '../../report/index.ts';
import type { Experiment, ExperimentRequest } from '../experiment.ts';
import type { CommandContext } from './command.ts';
import { positiveNumber, wholeNumber } from './option-values.ts';
import { openPage } from './page-command.ts';

export interface ExperimentFlags {
  readonly config: string;
  readonly stack?: ExperimentRequest['stack'];
  readonly instances?: number;
  readonly cpus?: number;
  readonly open?: true;
}

/** For the experiments that run the service at one size. */
export const instancesOption = [
  '--instances <number>',
  'instances of the service behind a balancer (default: as configured)',
  wholeNumber(100),
] as const;

/** For the experiments that may cap the service. */
export const cpusOption = [
  '--cpus <cores>',
  'most CPU of each instance of the service, such as 0.5 (default: as configured)',
  positiveNumber(),
] as const;

/** A command with the options that all experiments share. */
export function experimentCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .option('--config <file>', 'configuration file', 'perf/gate.yml')
    .addOption(
      new Option(
        '--stack <kind>',
        'run the service as plain processes or in containers (default: compose on CI, else process)',
      ).choices(stackKinds),
    )
    .option('--open', 'open the page in your browser');
}

/** Keeps what was found as JSON and as a page, prints it, and opens the page if asked to. */
export async function showFinding(
  experiment: Pick<Experiment, 'write' | 'resultDirectory' | 'doubts'>,
  name: string,
  { finding: found, result }: { readonly finding: Finding; readonly result: unknown },
  { open }: Pick<ExperimentFlags, 'open'>,
  { terminal, settings }: Pick<CommandContext, 'terminal' | 'settings'>,
): Promise<void> {
  const finding: Finding = { ...found, because: [...found.because, ...experiment.doubts] };
  const page = `${name}.html`;
  const { width, paintOut: paint } = terminal;
  try {
    await experiment.write([
      { name: `${name}.json`, text: `${JSON.stringify(result, null, 2)}\n` },
      { name: page, text: findingPage(finding) },
    ]);
  } catch (error) {
    // What took minutes to measure is at least printed if the disk is full.
    terminal.print(findingText(finding, { width, paint }));
    throw error;
  }
  const kept = {
    label: 'figures',
    text: `${join(experiment.resultDirectory, page)}, and ${name}.json in its folder`,
  };
  terminal.print(findingText({ ...finding, facts: [...finding.facts, kept] }, { width, paint }));
  const path = resolve(settings.workingDirectory, experiment.resultDirectory, page);
  if (open) await openPage(path, terminal.printError);
}

/** Shows what was measured, even if the measuring fails, and then throws its error. `any` is false if nothing was measured. */
export async function showingWhatIsMeasured(
  measuring: () => Promise<void>,
  any: () => boolean,
  show: (partial: { readonly partial?: string }) => Promise<void>,
): Promise<void> {
  try {
    await measuring();
  } catch (error) {
    if (any()) await show({ partial: causeOf(error) });
    throw error;
  }
  await show({});
}
