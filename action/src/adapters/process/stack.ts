import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { BootedService, Clock, Stack } from '../../measure/index.ts';
import type { ProcessStackConfig } from '../../model/config.ts';
import { Fault } from '../../model/fault.ts';
import { Leftovers, Secrets, sessionMembers } from '../host/index.ts';
import { readProcesses } from '../machine/index.ts';
import { answersOk } from './answers-ok.ts';
import { runBuildSteps } from './build-steps.ts';
import { expandText } from './expand-text.ts';
import { reservePort } from './free-port.ts';
import { readCompileMs } from './jvm-counters.ts';
import { ManagedProcess } from './managed-process.ts';

/** Lines of a log that go into an error: the cause of a Spring boot failure is about 20 lines from its end. */
const shownLines = 30;
const pollMs = 50;

/** What the backing command prints, one line a message. */
const backingLineSchema = z.union([
  z.object({
    ready: z.literal(true),
    env: z.record(z.string(), z.string()).default({}),
    metricsUrl: z.string().optional(),
    versions: z.record(z.string(), z.string()).default({}),
    dataKey: z.string().default(''),
    timingsMs: z.record(z.string(), z.number().min(0)).default({}),
  }),
  z.object({
    ready: z.literal(false),
    error: z.object({
      code: z.string(),
      message: z.string(),
      nextStep: z.string().default('read its log'),
      logTail: z.array(z.string()).default([]),
    }),
  }),
]);
type BackingReady = Extract<z.output<typeof backingLineSchema>, { ready: true }>;

export interface ProcessStackOptions {
  readonly config: ProcessStackConfig;
  /** Folder that commands run in. */
  readonly root: string;
  /** Per-user cache, given to commands as CACHE_DIR. */
  readonly cacheDirectory: string;
  /** Scratch folder of this checkout, given to commands as WORK_DIR. */
  readonly workDirectory: string;
  readonly logDirectory: string;
  /** Environment that every command inherits. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly note: (text: string) => void;
}

/** Runs the service and what it needs as plain processes of this machine. */
export function createProcessStack(options: ProcessStackOptions): Stack {
  return new ProcessStack(options);
}

class ProcessStack implements Stack {
  readonly kind = 'process';
  readonly #options: ProcessStackOptions;
  readonly #leftovers: Leftovers;
  readonly #secrets = new Secrets();
  #backing: ManagedProcess | undefined;
  #backingReady: BackingReady | undefined;
  #service: ManagedProcess | undefined;
  #goingDown = false;

  constructor(options: ProcessStackOptions) {
    this.#options = options;
    this.#leftovers = new Leftovers(join(options.workDirectory, 'processes.json'));
    this.#secrets.addFrom({ ...options.env, ...options.config.service.env });
  }

  readonly #masked = (text: string) => this.#secrets.masked(text);

  async prepare(signal: AbortSignal): Promise<void> {
    const { workDirectory, logDirectory, note } = this.#options;
    mkdirSync(workDirectory, { recursive: true });
    mkdirSync(logDirectory, { recursive: true });
    for (const left of this.#leftovers.kill()) note(`ended what an earlier check left running: ${left}`);
    await this.#build(false, signal);
  }

  async up(signal: AbortSignal): Promise<Readonly<Record<string, number>>> {
    const { config, root, env, logDirectory } = this.#options;
    if (config.backing === undefined) return {};
    const command = this.#expand(config.backing.command, this.#variables({}));
    const first = Promise.withResolvers<BackingReady>();
    const backing = await ManagedProcess.start({
      command,
      cwd: root,
      env: { ...env, ...this.#variables({}) },
      logFile: join(logDirectory, 'backing.log'),
      onStart: (pid) => this.#leftovers.add('backing services', pid),
      onLine: (line) => readBackingLine(line, command, first, this.#secrets),
      masked: this.#masked,
    });
    this.#backing = backing;
    const { promise: ready, reject } = first;
    // Nobody waits for it yet when the check was given up meanwhile; then it is not an unhandled rejection.
    ready.catch(() => undefined);
    const onAbort = () => reject(signal.reason);
    const timer = setTimeout(
      () => reject(this.#notReady('backing services', command, config.backing?.readyWithin ?? 0, backing)),
      config.backing.readyWithin * 1000,
    );
    signal.addEventListener('abort', onAbort, { once: true });
    void backing.exit.then(({ code, signal: by }) => reject(backingEnded(command, code, by, backing)));
    try {
      signal.throwIfAborted();
      this.#backingReady = await ready;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    }
    await this.#build(true, signal);
    return Object.fromEntries(
      Object.entries(this.#backingReady.timingsMs).map(([step, ms]) => [step, ms / 1000]),
    );
  }

  async boot(signal: AbortSignal): Promise<BootedService> {
    const { config, root, env, logDirectory } = this.#options;
    const ports: Record<string, string> = {};
    for (const [variable, port] of Object.entries(config.service.ports)) {
      ports[variable] = String(await reservePort(port === 'auto' ? 0 : port, `service.ports.${variable}`));
    }
    const variables = this.#variables(ports);
    const serviceEnv = Object.fromEntries(
      Object.entries(config.service.env).map(([key, value]) => [key, expandText(value, variables)]),
    );
    this.#secrets.addFrom(serviceEnv);
    const service = await ManagedProcess.start({
      command: this.#expand(config.service.command, variables),
      cwd: root,
      env: { ...env, ...variables, ...serviceEnv },
      logFile: join(logDirectory, 'service.log'),
      onStart: (pid) => this.#leftovers.add('service', pid),
      masked: this.#masked,
    });
    this.#service = service;
    await this.#waitUntilReady(service, expandText(config.service.ready.url, variables), signal);
    const backing = this.#backing;
    return {
      url: expandText(config.service.url, variables),
      ...(config.service.metrics === undefined
        ? {}
        : { metricsUrl: expandText(config.service.metrics, variables) }),
      readUsage: () => ({
        service: readProcesses([service.pid]),
        backing: readProcesses(backing === undefined ? [] : [backing.pid]),
      }),
      readCompileMs: () => readCompileMs(sessionMembers(service.pid)),
      ...(this.#backingReady?.metricsUrl === undefined
        ? {}
        : { backingMetricsUrl: this.#backingReady.metricsUrl }),
      versions: { ...this.#backingReady?.versions },
      dataKey: this.#backingReady?.dataKey ?? '',
      failure: this.#failure(service),
    };
  }

  logTail(lines: number): readonly string[] {
    return this.#service?.logTail(lines) ?? [];
  }

  async down(): Promise<void> {
    this.#goingDown = true;
    const { config } = this.#options;
    // The service first: stopping its database under it would only fill its log.
    await this.#stop(this.#service, config.service.stopWithin);
    await this.#stop(this.#backing, 20);
  }

  async #build(withBacking: boolean, signal: AbortSignal): Promise<void> {
    const { config, root, env, workDirectory, logDirectory, note } = this.#options;
    const variables = this.#variables({});
    await runBuildSteps(
      config.build.filter((step) => step.withBacking === withBacking),
      {
        root,
        env: { ...env, ...variables },
        note,
        stampDirectory: join(workDirectory, 'built'),
        logFile: join(logDirectory, 'build.log'),
        leftovers: this.#leftovers,
        masked: this.#masked,
      },
      signal,
    );
  }

  async #stop(process: ManagedProcess | undefined, withinSeconds: number): Promise<void> {
    if (process === undefined) return;
    await process.stop(withinSeconds);
    this.#leftovers.remove(process.pid);
  }

  #failure(service: ManagedProcess): Promise<never> {
    const failure = new Promise<never>((_, reject) => {
      void service.exit.then(({ code, signal }) => {
        if (this.#goingDown) return;
        reject(
          new Fault({
            code: 'E_SERVICE_DIED',
            kind: 'measurement',
            place: 'service',
            cause: `the service ended by itself, with ${describeExit(code, signal)}`,
            nextStep: 'read its last lines; exit code 137 or SIGKILL usually means that memory ran out',
            logTail: service.logTail(shownLines),
          }),
        );
      });
      const backing = this.#backing;
      void backing?.exit.then(({ code, signal }) => {
        if (this.#goingDown) return;
        reject(backingEnded(this.#options.config.backing?.command ?? [], code, signal, backing));
      });
    });
    // Whoever waits for it gets the rejection; until somebody does, it is not an unhandled one.
    failure.catch(() => undefined);
    return failure;
  }

  async #waitUntilReady(service: ManagedProcess, url: string, signal: AbortSignal): Promise<void> {
    const { clock, config } = this.#options;
    const deadline = clock.monotonicMs() + config.service.ready.within * 1000;
    for (;;) {
      signal.throwIfAborted();
      if (service.ended !== undefined) {
        const { code, signal: by } = service.ended;
        throw new Fault({
          code: 'E_SERVICE_BOOT',
          kind: 'measurement',
          place: 'service',
          cause: `the service ended while it booted, with ${describeExit(code, by)}`,
          nextStep: 'read its last lines; the first "Caused by" from the end usually names the reason',
          logTail: service.logTail(shownLines),
        });
      }
      if (await answersOk(url, signal)) return;
      if (clock.monotonicMs() > deadline) {
        throw this.#notReady('service', [url], config.service.ready.within, service);
      }
      await clock.wait(pollMs, signal);
    }
  }

  #notReady(what: string, place: readonly string[], seconds: number, process: ManagedProcess): Fault {
    return new Fault({
      code: 'E_NOT_READY',
      kind: 'measurement',
      place: place.join(' '),
      cause: `the ${what} did not become ready within ${seconds} s`,
      nextStep: 'read the last lines of the log; raise the time in gate.yml if it only needs longer',
      logTail: process.logTail(shownLines),
    });
  }

  #variables(ports: Readonly<Record<string, string>>): Record<string, string> {
    return {
      CACHE_DIR: this.#options.cacheDirectory,
      WORK_DIR: this.#options.workDirectory,
      ...this.#backingReady?.env,
      ...ports,
    };
  }

  #expand(command: readonly string[], variables: Readonly<Record<string, string>>): readonly string[] {
    return command.map((part) => expandText(part, variables));
  }
}

function readBackingLine(
  line: string,
  command: readonly string[],
  first: PromiseWithResolvers<BackingReady>,
  secrets: Secrets,
): void {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    first.reject(backingSpoke(command, secrets.masked(line)));
    return;
  }
  const parsed = backingLineSchema.safeParse(value);
  if (!parsed.success) {
    first.reject(backingSpoke(command, secrets.masked(line)));
  } else if (parsed.data.ready) {
    // Before anything else is printed: what it started knows them, and logs them if it fails.
    secrets.addFrom(parsed.data.env);
    first.resolve(parsed.data);
  } else {
    const { code, message, nextStep, logTail } = parsed.data.error;
    first.reject(
      new Fault({
        code,
        kind: 'measurement',
        place: 'backing services',
        cause: secrets.masked(message),
        nextStep: secrets.masked(nextStep),
        logTail: logTail.map((text) => secrets.masked(text)),
      }),
    );
  }
}

function backingSpoke(command: readonly string[], line: string): Fault {
  return new Fault({
    code: 'E_BACKING_PROTOCOL',
    kind: 'usage',
    place: command.join(' '),
    cause: `expected a line {"ready":true,"env":{...}} on standard output, got: ${line.slice(0, 200)}`,
    nextStep: 'let the command print progress to standard error',
  });
}

function backingEnded(
  command: readonly string[],
  code: number | null,
  signal: string | null,
  process: ManagedProcess | undefined,
): Fault {
  return new Fault({
    code: 'E_BACKING_DIED',
    kind: 'measurement',
    place: command.join(' '),
    cause: `the backing services ended by themselves, with ${describeExit(code, signal)}`,
    nextStep: 'read their last lines',
    logTail: process?.logTail(shownLines) ?? [],
  });
}

function describeExit(code: number | null, signal: string | null): string {
  return signal === null ? `exit code ${code}` : `signal ${signal}`;
}
