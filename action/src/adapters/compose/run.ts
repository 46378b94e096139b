import type { BootedService } from '../../measure/index.ts';
import type { ComposeStackConfig } from '../../model/config.ts';
import { Fault } from '../../model/fault.ts';
import {
  readStepMessage,
  type StackOptions,
  type StepMessage,
  shownLines,
  stepSeconds,
  waitUntilReady,
} from '../process/index.ts';
import { containersOf, profileAddresses, publishedAddress, serviceUrls, usageReader } from './access.ts';
import type { ComposeFile } from './compose-file.ts';
import { containerProfiler } from './container-profiler.ts';
import { type Container, placeOf, readContainers, readLog, readLogNow } from './containers.ts';
import { Diagnosis } from './diagnosis.ts';
import type { DockerCli, DockerOptions, DockerResult } from './docker.ts';
import { engineDown } from './engine.ts';
import type { ContainerEvent } from './events.ts';
import { Expectations } from './expectations.ts';
import { imageVersions } from './images.ts';
import { ComposeWatch } from './watch.ts';

/** How often to read the containers when no event asks for it. */
const readEveryMs = 1_000;
/** Lines of a step's log that may hold its message. */
const stepLogLines = 200;

interface ComposeRunOptions extends Pick<StackOptions<ComposeStackConfig>, 'config' | 'clock' | 'note'> {
  readonly docker: DockerCli;
  readonly project: string;
  readonly file: ComposeFile;
  /** Absolute paths of the compose file and its override; relative paths in them are relative to the first. */
  readonly files: readonly string[];
}

/** One life of a stack, from its first container until it is taken down. */
export class ComposeRun {
  readonly #options: ComposeRunOptions;
  readonly #expectations: Expectations;
  readonly #watch: ComposeWatch;
  readonly #diagnosis: Diagnosis;
  #steps: readonly StepMessage[] = [];
  #serviceId: string | undefined;

  constructor(options: ComposeRunOptions) {
    const { config, docker, project, file, clock } = options;
    const { service, backingMetrics } = config;
    this.#options = options;
    this.#expectations = new Expectations(file, [service, ...backingMetrics.map((page) => page.service)]);
    this.#watch = new ComposeWatch(docker, project, this.#expectations, clock);
    this.#diagnosis = new Diagnosis(docker, this.#expectations, this.#watch);
  }

  /**
   * Starts everything but the service under test. Returns the seconds of each step that reports them.
   *
   * @param beforeStart is called once the containers and their volumes exist
   */
  async startBacking(
    signal: AbortSignal,
    beforeStart: () => Promise<void> = async () => undefined,
  ): Promise<Readonly<Record<string, number>>> {
    const { config, file, clock } = this.#options;
    const { upWithin } = config;
    const backing = file.services.filter((name) => name !== config.service);
    // Creates the service too, so that one command creates the whole stack.
    await this.#create(file.services, [], signal);
    await beforeStart();
    if (backing.length === 0) return {};
    const deadlineMs = clock.monotonicMs() + upWithin * 1000;
    await this.#start(backing, [], upWithin, signal, async (whileSound) => {
      for (;;) {
        const containers = await this.#watch.containers();
        await this.#diagnosis.throwIfFailed(containers);
        if (backing.every((name) => this.#expectations.isDone(name, containers))) return;
        if (clock.monotonicMs() > deadlineMs) {
          throw await this.#diagnosis.ofTimeout(containers, backing, upWithin);
        }
        await this.#watch.next(readEveryMs, whileSound);
      }
    });
    this.#steps = await this.#readSteps();
    return Object.assign({}, ...this.#steps.map(({ timingsMs }) => stepSeconds(timingsMs)));
  }

  /** Boots the service. `urls` lead to its containers one by one. */
  async boot(
    signal: AbortSignal,
  ): Promise<{ readonly booted: BootedService; readonly urls: readonly string[] }> {
    const { config, docker, project, file, clock, note } = this.#options;
    const { service, ready } = config;
    const deadlineMs = clock.monotonicMs() + ready.within * 1000;
    const former = containersOf(await readContainers(docker, project), service).filter(
      ({ status }) => status !== 'created',
    );
    if (former.length > 0) {
      for (const { id } of former) this.#watch.expectEnd(id);
      await this.#create([service], ['--force-recreate'], signal);
    }
    // Starting the dependencies as well would run the steps again that have ended.
    await this.#start([service], ['--no-deps'], ready.within, signal, (whileSound) =>
      this.#waitUntilReady(deadlineMs, whileSound),
    );
    const failure = this.#failure();
    const containers = await this.#watch.containers();
    await this.#diagnosis.throwIfFailed(containers);
    this.#expectations.loadBegins(containers);
    const { urls, ...pages } = await serviceUrls(containers, config, note, signal);
    const [url] = urls;
    if (url === undefined) throw new Error('a service that is ready has a container');
    const booted: BootedService = {
      url,
      ...pages,
      addresses: profileAddresses(containers, file.config),
      ...usageReader(containers, service, note),
      profiler: await this.#profiler(signal),
      versions: Object.assign(
        await imageVersions(docker, file, service, signal),
        ...this.#steps.map(({ versions }) => versions),
        config.cpus === undefined ? {} : { cpus: String(config.cpus) },
      ),
      dataKey: this.#steps.flatMap(({ dataKey = [] }) => dataKey).join(' '),
      failure,
      verify: () => this.#verify(containers),
      ...(config.cpus !== undefined && { limitCpu: () => this.#limitCpu(containers, `${config.cpus}`) }),
    };
    return { booted, urls };
  }

  async #profiler(signal: AbortSignal): Promise<NonNullable<BootedService['profiler']>> {
    const { docker, config, clock } = this.#options;
    if (this.#serviceId === undefined) return { unavailable: 'its container is not known' };
    return containerProfiler(docker, { id: this.#serviceId, service: config.service }, clock, signal);
  }

  logTail(lines: number): readonly string[] {
    return this.#serviceId === undefined ? [] : readLogNow(this.#options.docker, this.#serviceId, lines);
  }

  /** Stops all containers, so that nothing writes to their volumes any more. */
  async stop(): Promise<void> {
    const { stopWithin, upWithin } = this.#options.config;
    const result = await this.#compose(['stop', '--timeout', String(Math.ceil(stopWithin))], {
      within: stopWithin + upWithin,
      role: 'docker compose stop',
    });
    if (result.code !== 0) throw engineDown(result);
  }

  close(): void {
    this.#watch.close();
  }

  /** Creates networks, volumes and containers. It ignores an abort meanwhile: the engine would carry on unattended. */
  async #create(services: readonly string[], flags: readonly string[], signal: AbortSignal): Promise<void> {
    const { upWithin } = this.#options.config;
    const result = await this.#compose(['create', '--no-build', '--pull', 'never', ...flags, ...services], {
      within: upWithin,
      role: 'docker compose create',
    });
    signal.throwIfAborted();
    if (result.code !== 0) throw await this.#diagnosis.ofUp(result, services, upWithin);
  }

  /** Starts created containers and waits until they are ready. Stops waiting as soon as a container fails. */
  async #start(
    services: readonly string[],
    flags: readonly string[],
    within: number,
    signal: AbortSignal,
    untilReady: (whileSound: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const broken = new AbortController();
    const whileSound = AbortSignal.any([signal, broken.signal]);
    const off = this.#watch.onFailure(() => broken.abort());
    try {
      const result = await this.#compose(
        ['up', '-d', '--no-build', '--pull', 'never', '--no-recreate', ...flags, ...services],
        { within, signal: whileSound, role: 'docker compose up' },
      );
      if (result.code !== 0) throw await this.#diagnosis.ofUp(result, services, within);
      await untilReady(whileSound);
    } catch (error) {
      signal.throwIfAborted();
      if (!broken.signal.aborted || error !== broken.signal.reason) throw error;
      throw await this.#diagnosis.ofUp(undefined, services, within);
    } finally {
      off();
    }
  }

  #compose(args: readonly string[], options: DockerOptions): Promise<DockerResult> {
    const { docker, project, files } = this.#options;
    const from = files.flatMap((file) => ['-f', file]);
    return docker.run(
      ['compose', '--ansi', 'never', '--progress', 'plain', '-p', project, ...from, ...args],
      options,
    );
  }

  /** Polls the service only. Reading the containers on every poll would take CPU from the booting service. */
  async #waitUntilReady(deadlineMs: number, signal: AbortSignal): Promise<void> {
    const { config, docker, clock } = this.#options;
    const { service, ready } = config;
    const containers = await this.#watch.containers();
    await this.#diagnosis.throwIfFailed(containers);
    const instances = containersOf(containers, service);
    if (instances.length === 0 || instances.some(({ status }) => status !== 'running')) {
      throw await this.#diagnosis.ofTimeout(containers, [service], ready.within);
    }
    this.#serviceId = instances[0]?.id;
    for (const container of instances) {
      const url = `http://${publishedAddress(container, service, ready.port)}${ready.path}`;
      if (await waitUntilReady({ url, deadlineMs, clock, signal })) continue;
      throw new Fault({
        code: 'E_STACK_TIMEOUT',
        kind: 'measurement',
        place: placeOf(container),
        cause: `${service} runs, but ${url} did not answer 2xx within ${ready.within} s`,
        nextStep: 'read its last log lines; raise `stack.compose.ready.within` if it only needs longer',
        logTail: await readLog(docker, container.id, shownLines),
      });
    }
  }

  /** Reads the messages of the steps that have ended. */
  async #readSteps(): Promise<StepMessage[]> {
    const { docker, project, file, note } = this.#options;
    const messages: StepMessage[] = [];
    for (const { service, id } of await readContainers(docker, project)) {
      if (!file.oneShot.has(service)) continue;
      const message = readStepMessage(await readLog(docker, id, stepLogLines));
      if (message === undefined) continue;
      messages.push(message);
      if (message.rebuilt !== '') note(`${service}: data was rebuilt: ${message.rebuilt}`);
    }
    return messages;
  }

  async #limitCpu(containers: readonly Container[], cpus: string): Promise<void> {
    const { docker, config } = this.#options;
    const ids = containersOf(containers, config.service).map(({ id }) => id);
    const result = await docker.run(['update', '--cpus', cpus, ...ids]);
    if (result.code !== 0) throw engineDown(result);
  }

  /** Rejects with a Fault once a container ends or runs out of memory unexpectedly. Never resolves. */
  #failure(): Promise<never> {
    const { promise, reject } = Promise.withResolvers<never>();
    const off = this.#watch.onFailure((event) => {
      if (event.kind === 'health') return;
      off();
      void this.#explain(event).then(reject, reject);
    });
    this.#watch.lost.catch(reject);
    // A failure before the caller awaits this promise is no unhandled rejection.
    promise.catch(() => undefined);
    return promise;
  }

  async #explain({ container: id, service, exitCode }: ContainerEvent): Promise<Fault> {
    const container = (await this.#watch.containers()).find((one) => one.id === id);
    if (container === undefined) return replaced(service, 'removed');
    return this.#diagnosis.ofContainer({ ...container, exitCode: exitCode ?? container.exitCode }, 'load');
  }

  /** Throws a Fault unless the same containers have run without a break since the boot. */
  async #verify(booted: readonly Container[]): Promise<void> {
    const now = await this.#watch.containers();
    const failed = this.#expectations.firstFailed(now);
    if (failed !== undefined && failed.health !== 'unhealthy') {
      throw await this.#diagnosis.ofContainer(failed, 'load');
    }
    for (const { id, service, startedAt } of booted) {
      const same = now.find((container) => container.id === id);
      if (same?.startedAt !== startedAt)
        throw replaced(service, same === undefined ? 'removed' : 'restarted');
    }
  }
}

function replaced(service: string, how: 'removed' | 'restarted'): Fault {
  return new Fault({
    code: 'E_SERVICE_DIED',
    kind: 'measurement',
    place: `service ${service}`,
    cause: `the container of ${service} was ${how} under load`,
    nextStep: 'find out which program did that, then run the check again',
  });
}
