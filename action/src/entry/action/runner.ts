import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as core from '@actions/core';
import { exitCodes, Fault } from '../../model/fault.ts';
import { faultText, plainText } from '../../report/index.ts';
import { abortOnSignals, Interrupted } from '../interrupts.ts';
import type { StepAnnotations } from './step-annotations.ts';

/** The event that GitHub leaves in a file for every job. */
export function readEvent(path: string | undefined): unknown {
  if (path === undefined) return {};
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Fault(
      {
        code: 'E_GITHUB_EVENT',
        kind: 'usage',
        place: 'GITHUB_EVENT_PATH',
        cause: `the event cannot be read: ${(error as Error).message}`,
        nextStep: 'run this as an action of a GitHub workflow',
      },
      { cause: error },
    );
  }
}

/** One line for the log. The runner takes `::` for a command at the beginning of a line, and `##[` anywhere in it. */
export function note(text: string): void {
  core.info(
    plainText(text)
      .replace(/^\s*::/, ': :')
      .replaceAll('##[', '## ['),
  );
}

export function warnOfCache(annotations: StepAnnotations): (text: string) => void {
  return (text) => annotations.make('warning', text, { title: 'perf-gate: cache' });
}

/**
 * Runs work that prints text from outside (names, logs of the service): the runner takes no line of it for a command
 * until it sees a token that nobody can know.
 */
export async function withoutCommands<T>(work: () => Promise<T>): Promise<T> {
  const token = randomUUID();
  core.info(`::stop-commands::${token}`);
  try {
    return await work();
  } finally {
    core.info(`::${token}::`);
  }
}

/** Runs the body of an action's process, and turns whatever ends it into an annotation and an exit code. */
export async function runAction(body: (signal: AbortSignal) => Promise<number>): Promise<void> {
  const interrupts = abortOnSignals(process, (name) => note(`${name}: stopping`));
  try {
    process.exitCode = await body(interrupts.signal);
  } catch (error) {
    process.exitCode = explain(error);
    // What a library still waits for, such as a download, would hold the process until the runner kills it.
    if (error instanceof Interrupted) process.exit();
  } finally {
    interrupts.dispose();
  }
}

/** Where GitHub is to show it: faults of a configuration are placed at its line and column. */
function lineOf(place: string): core.AnnotationProperties {
  const [, file, line, column] = /^(.+\.ya?ml):(\d+):(\d+)$/.exec(place) ?? [];
  return file === undefined ? {} : { file, startLine: Number(line), startColumn: Number(column) };
}

function explain(error: unknown): number {
  if (error instanceof Interrupted) {
    note(`${error.message} before it was done`);
    return error.exitCode;
  }
  if (!(error instanceof Fault)) {
    core.error(error instanceof Error ? (error.stack ?? error.message) : String(error), {
      title: 'perf-gate: a bug in the gate; please report it',
    });
    return exitCodes.notMeasured;
  }
  // Annotations keep line breaks; @actions/core escapes what would end the command.
  core.error(faultText(error.details), {
    title: `perf-gate ${error.details.code}`,
    ...lineOf(error.details.place),
  });
  return error.details.kind === 'usage' ? exitCodes.usage : exitCodes.notMeasured;
}
