import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { writeReports } from '../../adapters/results/index.ts';
import type { CheckRecord } from '../../model/record.ts';
import { reporters } from '../../report/index.ts';
import { checkFiles, checkText, type NextSteps } from '../check-report.ts';
import { gateCommand } from '../gate-command.ts';
import type { CommandContext } from './command.ts';

export interface PageFlags {
  readonly config: string;
  readonly open?: true;
}

/** A command that shows what was measured before. */
export function pageCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .option('--config <file>', 'configuration file', 'perf/gate.yml')
    .option('--open', 'open the page in your browser');
}

/** What a check was asked to measure. */
interface Asked {
  readonly suite?: string;
  readonly vuFactor?: number;
}

/** The command that measures the same, whose suite is `usually` without the flag. */
export function commandAgain(command: string, { suite = 'pr', vuFactor = 1 }: Asked, usually = 'pr'): string {
  return [
    command,
    ...(suite === usually ? [] : ['--suite', suite]),
    ...(vuFactor === 1 ? [] : ['--vu-factor', vuFactor]),
  ].join(' ');
}

/** `check` and `record` are the commands to name, with their arguments. */
export function nextStepsOf(
  { settings }: Pick<CommandContext, 'settings'>,
  config: string,
  asked: Asked = {},
  {
    check = commandAgain('check', asked),
    record = commandAgain('baseline', asked),
  }: { readonly check?: string; readonly record?: string } = {},
): NextSteps {
  return {
    command: gateCommand(settings, check, config),
    recording: { kind: 'command', command: gateCommand(settings, record, config) },
    configPath: config,
  };
}

/** Prints a record, writes its page into the folder, and opens it if asked to. */
export async function showRecord(
  shown: { readonly record: CheckRecord; readonly resultDirectory: string },
  { config, open }: PageFlags,
  context: CommandContext,
): Promise<void> {
  const { settings, terminal } = context;
  const next = nextStepsOf(context, config, { suite: shown.record.verdict.suite });
  const directory = resolve(settings.workingDirectory, shown.resultDirectory);
  await writeReports(directory, checkFiles(shown, next));
  terminal.print(checkText(shown, next, terminal));
  if (open) await openPage(join(directory, reporters.page.file), terminal.printError);
}

/** `xdg-open` hands the page to the browser and ends. */
export async function openPage(path: string, printError: (text: string) => void): Promise<void> {
  const opener = spawn('xdg-open', [path], { stdio: 'ignore', detached: true });
  const problem = await new Promise<string | undefined>((done) => {
    opener.on('error', () => done('xdg-open is not installed'));
    opener.on('exit', (code) => done(code === 0 ? undefined : `xdg-open ended with ${code}`));
  });
  if (problem !== undefined) printError(`the page was not opened, because ${problem}: ${path}\n`);
}
