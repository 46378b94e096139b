import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as core from '@actions/core';
import type { GitHubOptions } from '../../adapters/github/index.ts';
import { exitCodes, Fault } from '../../model/fault.ts';
import { faultText, plainText } from '../../report/index.ts';
import { abortOnSignals, Interrupted } from '../interrupts.ts';
import { type GitHubJob, readGitHubJob } from './github-event.ts';
import { StepAnnotations } from './step-annotations.ts';

/** What one step of a workflow works with. */
export interface ActionContext<Inputs> {
  readonly inputs: Inputs;
  readonly job: GitHubJob;
  readonly env: NodeJS.ProcessEnv;
  readonly annotations: StepAnnotations;
  readonly signal: AbortSignal;
  /** How fast time passes towards GitHub, so that tests can make it pass faster. */
  readonly pace?: Pick<GitHubOptions, 'secondMs' | 'pauses'>;
}

export function readContext<Inputs>(inputs: Inputs, signal: AbortSignal): ActionContext<Inputs> {
  const job = readGitHubJob(process.env, readEvent(process.env.GITHUB_EVENT_PATH));
  return { inputs, job, env: process.env, annotations: new StepAnnotations(), signal };
}

/** GitHub stores the event of every job in a file. */
function readEvent(path: string | undefined): unknown {
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

/** Logs one line. The runner would run `::` at the beginning of a line, or `##[` anywhere in it, as a command. */
export function note(text: string): void {
  core.info(
    plainText(text)
      .replace(/^\s*::/, ': :')
      .replaceAll('##[', '## ['),
  );
}

/** The cache is optional, so its failures are warnings. */
export function warnOfCache(annotations: StepAnnotations): (text: string) => void {
  return (text) => annotations.make('warning', text, { title: 'perf-gate: cache' });
}

/**
 * Runs work that prints text from outside, such as names and service logs. The runner treats none of it as a command until
 * it sees a token that nobody else can know.
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

/** Runs an action, and turns whatever ends it into an annotation and an exit code. */
export async function runAction(body: (signal: AbortSignal) => Promise<number>): Promise<void> {
  const interrupts = abortOnSignals(process, (name) => note(`${name}: stopping`));
  try {
    process.exitCode = await body(interrupts.signal);
  } catch (error) {
    process.exitCode = explain(error);
    // Otherwise a library's pending work, such as a download, keeps the process until the runner kills it.
    if (error instanceof Interrupted) process.exit();
  } finally {
    interrupts.dispose();
  }
}

/** Places the faults of a configuration at its line and column. */
function lineOf(place: string): core.AnnotationProperties {
  const [, file, line, column] = /^(.+\.ya?ml):(\d+):(\d+)$/.exec(place) ?? [];
  return file === undefined ? {} : { file, startLine: Number(line), startColumn: Number(column) };
}

function explain(error: unknown): number {
  if (error instanceof Interrupted) {
    note(`${error.message} before the end`);
    return error.exitCode;
  }
  if (!(error instanceof Fault)) {
    core.error(error instanceof Error ? (error.stack ?? error.message) : String(error), {
      title: 'perf-gate: a bug in the gate; please report it',
    });
    return exitCodes.notMeasured;
  }
  // @actions/core escapes what would end the command, and annotations keep line breaks.
  core.error(faultText(error.details), {
    title: `perf-gate ${error.details.code}`,
    ...lineOf(error.details.place),
  });
  return error.details.kind === 'usage' ? exitCodes.usage : exitCodes.notMeasured;
}
