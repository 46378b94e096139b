import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parse } from 'yaml';
import type { FakeGitHub } from '../github/fake-github.ts';
import { pushEvent } from './events.ts';

const action = resolve(import.meta.dirname, '../..');

export interface RunnerEvent {
  readonly name: string;
  readonly payload: unknown;
}

export interface StepResult {
  readonly code: number | null;
  readonly log: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly state: Readonly<Record<string, string>>;
  readonly summary: string;
  /** The delimiter that ends each output in the runner's file, in order. */
  readonly delimiters: readonly string[];
  /** What later steps would have in their environment. */
  readonly env: string;
  /** What later steps would have in their PATH. */
  readonly path: string;
  /** From the step's start to its end. */
  readonly seconds: number;
  /** From the step's start to when the log first matched; NaN if it never did. */
  secondsTo(pattern: RegExp): number;
}

export interface RunningStep {
  readonly process: ChildProcess;
  readonly done: Promise<StepResult>;
  /** Resolves once the log matches; rejects if the step ends before. */
  printed(pattern: RegExp): Promise<void>;
  /**
   * Ends the step as the runner ends that of a cancelled job: each signal only if it still runs by then. Unless it is `strict`,
   * it waits longer than GitHub's runner, because these tests may run on a busy machine.
   */
  cancel(strict?: 'strict'): Promise<StepResult>;
}

/** What the runner sends to a step of a cancelled job, and how many milliseconds it waits after that. */
const cancellation = [
  ['SIGINT', 7_500],
  ['SIGTERM', 2_500],
] as const;

/** How long a step of a cancelled job may take to end. */
export const runnerPatienceMs = cancellation.reduce((sum, [, patienceMs]) => sum + patienceMs, 0);

/** Times as long as that may take on a busy machine. */
const busyMachine = 10;

/** Where each entry declares its inputs. */
const actionFiles = {
  main: 'action.yml',
  post: 'action.yml',
  publish: 'publish/action.yml',
  record: 'record/action.yml',
} as const;

interface FileCommand {
  readonly name: string;
  readonly delimiter: string;
  readonly value: string;
}

/** The files through which a step speaks to the runner: `name<<delimiter`, the text, the delimiter. */
function readFileCommands(text: string): FileCommand[] {
  const found: FileCommand[] = [];
  const lines = text.split('\n');
  for (let index = 0; index < lines.length; index += 1) {
    const [name, delimiter] = (lines[index] ?? '').split('<<');
    if (name === undefined || delimiter === undefined) continue;
    const end = lines.indexOf(delimiter, index + 1);
    found.push({ name, delimiter, value: lines.slice(index + 1, end).join('\n') });
    index = end;
  }
  return found;
}

function valuesOf(commands: readonly FileCommand[]): Record<string, string> {
  return Object.fromEntries(commands.map(({ name, value }) => [name, value]));
}

async function defaultsOf(file: string): Promise<Record<string, string>> {
  const { inputs } = parse(await readFile(join(action, file), 'utf8')) as {
    readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  };
  return Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, input.default]));
}

/** Runs the built bundle as GitHub's runner does: inputs and state as variables, outputs in files, one log. */
export class FakeRunner {
  readonly #workspace: string;
  readonly #github: FakeGitHub;
  /** Where the runner keeps its own files. */
  readonly #home: string;

  constructor(workspace: string, github: FakeGitHub, home = join(workspace, '.runner')) {
    this.#workspace = workspace;
    this.#github = github;
    this.#home = home;
  }

  main(
    event: RunnerEvent,
    inputs: Record<string, string>,
    env: Record<string, string> = {},
  ): Promise<StepResult> {
    return this.start('main', event, inputs, env).then(({ done }) => done);
  }

  publish(event: RunnerEvent, inputs: Record<string, string>): Promise<StepResult> {
    return this.start('publish', event, inputs, {}).then(({ done }) => done);
  }

  /** A file of the workspace, such as one that an output names. */
  read(path = ''): Promise<string> {
    return readFile(join(this.#workspace, path), 'utf8');
  }

  /** Adds the report that another job of the same run left to the baseline, in a checkout of that commit. */
  async startRecord(commit: string, inputs: Record<string, string>): Promise<RunningStep> {
    return this.start('record', pushEvent(), inputs, { GITHUB_SHA: commit });
  }

  async record(commit: string, inputs: Record<string, string>): Promise<StepResult> {
    return (await this.startRecord(commit, inputs)).done;
  }

  async post(
    event: RunnerEvent,
    result: Pick<StepResult, 'state'>,
    env: Record<string, string> = {},
  ): Promise<StepResult> {
    return (await this.startPost(event, result, env)).done;
  }

  startPost(
    event: RunnerEvent,
    { state }: Pick<StepResult, 'state'>,
    env: Record<string, string>,
  ): Promise<RunningStep> {
    const variables = Object.entries(state).map(([name, value]) => [`STATE_${name}`, value]);
    return this.start('post', event, {}, { ...Object.fromEntries(variables), ...env });
  }

  async start(
    entry: keyof typeof actionFiles,
    event: RunnerEvent,
    inputs: Record<string, string>,
    env: Record<string, string>,
  ): Promise<RunningStep> {
    const home = this.#home;
    await mkdir(home, { recursive: true });
    const folder = await mkdtemp(join(home, 'step-'));
    const file = async (name: string, text = '') => {
      const path = join(folder, name);
      await writeFile(path, text);
      return path;
    };
    const given = {
      ...(await defaultsOf(actionFiles[entry])),
      'github-token': 'token-of-the-job',
      ...inputs,
    };
    const files = {
      GITHUB_EVENT_PATH: await file('event.json', JSON.stringify(event.payload)),
      GITHUB_OUTPUT: await file('output'),
      GITHUB_STATE: await file('state'),
      GITHUB_STEP_SUMMARY: await file('summary'),
      GITHUB_ENV: await file('env'),
      GITHUB_PATH: await file('path'),
    };
    const child = spawn(process.execPath, [join(action, 'dist', `${entry}.js`)], {
      cwd: this.#workspace,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        CI: 'true',
        GITHUB_ACTIONS: 'true',
        GITHUB_WORKSPACE: this.#workspace,
        GITHUB_REPOSITORY: this.#github.repository,
        GITHUB_EVENT_NAME: event.name,
        GITHUB_REF: event.name === 'pull_request' ? 'refs/pull/7/merge' : 'refs/heads/main',
        GITHUB_RUN_ID: '42',
        GITHUB_API_URL: this.#github.url,
        GITHUB_SERVER_URL: 'https://github.com',
        GATE_CACHE: join(home, 'cache'),
        GATE_K6: process.env.GATE_K6 ?? 'k6',
        RUNNER_TEMP: folder,
        RUNNER_TOOL_CACHE: join(home, 'tools'),
        ...Object.fromEntries(
          Object.entries(given).map(([name, value]) => [
            `INPUT_${name.replaceAll(' ', '_').toUpperCase()}`,
            value,
          ]),
        ),
        ...files,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const startedAt = performance.now();
    const seconds = () => (performance.now() - startedAt) / 1000;
    let log = '';
    const heard: { readonly log: string; readonly at: number }[] = [];
    const listeners = new Set<() => void>();
    const hear = (chunk: unknown) => {
      log += String(chunk);
      heard.push({ log, at: seconds() });
      for (const listener of listeners) listener();
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    const done = new Promise<number | null>((resolveDone) => child.on('close', resolveDone)).then(
      async (code) => {
        const outputs = readFileCommands(await readFile(files.GITHUB_OUTPUT, 'utf8'));
        return {
          code,
          log,
          seconds: seconds(),
          secondsTo: (pattern: RegExp) => heard.find((soFar) => pattern.test(soFar.log))?.at ?? Number.NaN,
          outputs: valuesOf(outputs),
          delimiters: outputs.map(({ delimiter }) => delimiter),
          state: valuesOf(readFileCommands(await readFile(files.GITHUB_STATE, 'utf8'))),
          summary: await readFile(files.GITHUB_STEP_SUMMARY, 'utf8'),
          env: await readFile(files.GITHUB_ENV, 'utf8'),
          path: await readFile(files.GITHUB_PATH, 'utf8'),
        };
      },
    );
    return {
      process: child,
      done,
      printed: (pattern) =>
        new Promise((resolvePrinted, reject) => {
          const look = () => {
            if (!pattern.test(log)) return;
            listeners.delete(look);
            resolvePrinted();
          };
          listeners.add(look);
          look();
          void done.then(() => reject(new Error(`the step ended before it printed ${pattern}:\n${log}`)));
        }),
      cancel: async (strict) => {
        for (const [signal, runnerMs] of cancellation) {
          child.kill(signal);
          const patienceMs = strict === undefined ? busyMachine * runnerMs : runnerMs;
          const timer = new AbortController();
          const patience = setTimeout(patienceMs, undefined, { signal: timer.signal }).catch(() => undefined);
          await Promise.race([done, patience]);
          timer.abort();
          if (child.exitCode !== null) return done;
        }
        child.kill('SIGKILL');
        return done;
      },
    };
  }
}
