import type { BootedService, Stack } from '../../measure/index.ts';
import type { ProcessStackConfig } from '../../model/config.ts';
import { Fault } from '../../model/fault.ts';
import { sessionMembers } from '../host/index.ts';
import { cpuSecondsByName, readProcesses } from '../machine/index.ts';
import { Backing, type BackingReady } from './backing.ts';
import { runBuildSteps } from './build-steps.ts';
import { DataFolders } from './data-folders.ts';
import { expandText } from './expand-text.ts';
import { readCompileMs } from './jvm-counters.ts';
import { exitText, type ManagedProcess } from './managed-process.ts';
import { waitUntilReady } from './ready.ts';
import { reservePort } from './reserve-port.ts';
import { joinedKey, SeededData } from './seeded-data.ts';
import { sessionProfiler } from './session-jvm.ts';
import { type StackOptions, StackWork } from './stack-work.ts';
import { stepSeconds } from './step-message.ts';

/** Seconds for the backing services to stop. */
const backingStopWithin = 20;

/** Runs the service and its backing services as plain processes of this machine. */
export function createProcessStack(options: StackOptions<ProcessStackConfig>): Stack {
  return new ProcessStack(options);
}

class ProcessStack implements Stack {
  readonly kind = 'process';
  readonly #options: StackOptions<ProcessStackConfig>;
  readonly #work: StackWork;
  #data: SeededData | undefined;
  #backing: Backing | undefined;
  #backingReady: BackingReady | undefined;
  #service: ManagedProcess | undefined;
  #goingDown = false;

  constructor(options: StackOptions<ProcessStackConfig>) {
    this.#options = options;
    this.#work = new StackWork(options, 'processes.json');
    this.#work.secrets.addFrom(options.config.service.env);
  }

  async prepare(signal: AbortSignal): Promise<void> {
    this.#work.begin();
    await this.#build(false, signal);
  }

  up(signal: AbortSignal): Promise<Readonly<Record<string, number>>> {
    return this.#work.masking(async () => {
      const { backing } = this.#options.config;
      await this.#seed(signal);
      if (backing === undefined) return {};
      await this.#data?.restore(signal);
      const variables = this.#variables();
      const command = backing.command.map((part) => expandText(part, variables));
      const env = expandEnv(backing.env, variables);
      this.#work.secrets.addFrom(env);
      this.#backing = await Backing.start(this.#work, command, {
        ...this.#options.env,
        ...variables,
        ...env,
      });
      this.#backingReady = await this.#backing.ready(backing.readyWithin, signal);
      await this.#build(true, signal);
      return stepSeconds(this.#backingReady.timingsMs);
    });
  }

  async boot(signal: AbortSignal): Promise<BootedService> {
    const { service: config } = this.#options.config;
    // Backing services have the data in use from up() on.
    if (this.#backing === undefined) await this.#data?.restore(signal);
    const ports: Record<string, string> = {};
    for (const [variable, port] of Object.entries(config.ports)) {
      ports[variable] = String(await reservePort(port === 'auto' ? 0 : port, `service.ports.${variable}`));
    }
    const variables = { ...this.#variables(), ...ports };
    const expand = (text: string) => expandText(text, variables);
    const env = expandEnv(config.env, variables);
    this.#work.secrets.addFrom(env);
    const service = await this.#work.start({
      role: 'service',
      log: 'service.log',
      command: config.command.map(expand),
      env: { ...this.#options.env, ...variables, ...env },
    });
    this.#service = service;
    await this.#waitUntilReady(service, expand(config.ready.url), signal);
    const backing = this.#backing?.process;
    const { metricsUrl: announced, metricsExcludeScrapes, versions, dataKey = '' } = this.#backingReady ?? {};
    const { backingMetrics } = this.#options.config;
    return {
      url: expand(config.url),
      ...(config.metrics === undefined ? {} : { metricsUrl: expand(config.metrics) }),
      backingMetricsUrls: [...(announced === undefined ? [] : [announced]), ...backingMetrics.map(expand)],
      backingMetricsExcludeScrapes: metricsExcludeScrapes === true && backingMetrics.length === 0,
      readUsage: () => ({
        service: readProcesses([service.pid]),
        backing: readProcesses(backing === undefined ? [] : [backing.pid]),
      }),
      readBackingCpuSeconds: () => cpuSecondsByName(backing === undefined ? [] : [backing.pid]),
      readCompileMs: () => readCompileMs(sessionMembers(service.pid)),
      profiler: sessionProfiler(service.pid, this.#work),
      versions: { ...versions },
      dataKey: joinedKey(dataKey, this.#data?.key),
      failure: this.#failure(service),
    };
  }

  logTail(lines: number): readonly string[] {
    return this.#service?.logTail(lines) ?? [];
  }

  async down(): Promise<void> {
    this.#goingDown = true;
    // The service goes first: losing its database would only fill its log.
    await this.#work.stop(this.#service, this.#options.config.service.stopWithin);
    await this.#work.stop(this.#backing?.process, backingStopWithin);
  }

  async #seed(signal: AbortSignal): Promise<void> {
    const { config, env } = this.#options;
    if (config.data === undefined) return;
    const variables = this.#variables();
    const place = new DataFolders(config.data.snapshot, variables, this.#work);
    const options = {
      config: config.data,
      work: this.#work,
      place,
      variables,
      env: { ...env, ...variables },
    };
    this.#data = new SeededData(options);
    await this.#data.seed(signal);
  }

  #build(withBacking: boolean, signal: AbortSignal): Promise<void> {
    const { config, env } = this.#options;
    const steps = config.build.filter((step) => step.withBacking === withBacking);
    return runBuildSteps(steps, this.#work, { ...env, ...this.#variables() }, signal);
  }

  /** Rejects with a Fault once the service or its backing ends before `down()`. */
  #failure(service: ManagedProcess): Promise<never> {
    const { promise, reject } = Promise.withResolvers<never>();
    const fail = (fault: Fault) => {
      if (!this.#goingDown) reject(fault);
    };
    void service.exit.then((exit) =>
      fail(
        serviceFault(
          service,
          'E_SERVICE_DIED',
          `the service ended unexpectedly, with ${exitText(exit)}`,
          'read its last log lines; exit code 137 or SIGKILL usually means that memory ran out',
        ),
      ),
    );
    void this.#backing?.ended.then(fail);
    // A failure before the caller awaits this promise is no unhandled rejection.
    promise.catch(() => undefined);
    return promise;
  }

  async #waitUntilReady(service: ManagedProcess, url: string, signal: AbortSignal): Promise<void> {
    const { clock, config } = this.#options;
    const { within } = config.service.ready;
    const check = () => {
      if (service.ended === undefined) return;
      throw serviceFault(
        service,
        'E_SERVICE_BOOT',
        `the service ended while it started, with ${exitText(service.ended)}`,
        'read its last log lines; the last "Caused by" usually names the reason',
      );
    };
    const deadlineMs = clock.monotonicMs() + within * 1000;
    if (await waitUntilReady({ url, deadlineMs, clock, signal, check })) return;
    throw serviceFault(
      service,
      'E_NOT_READY',
      `the service did not become ready within ${within} s`,
      'read its last log lines; raise `service.ready.within` in gate.yml if it only needs longer',
      url,
    );
  }

  #variables(): Record<string, string> {
    const { cacheDirectory, workDirectory } = this.#options;
    return { CACHE_DIR: cacheDirectory, WORK_DIR: workDirectory, ...this.#backingReady?.env };
  }
}

function expandEnv(env: Readonly<Record<string, string>>, variables: Readonly<Record<string, string>>) {
  return Object.fromEntries(Object.entries(env).map(([key, text]) => [key, expandText(text, variables)]));
}

function serviceFault(
  service: ManagedProcess,
  code: string,
  cause: string,
  nextStep: string,
  place = 'service',
): Fault {
  return new Fault({ code, kind: 'measurement', place, cause, nextStep, logTail: service.logTail() });
}
