import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BootedService, Clock, Stack } from '../../measure/index.ts';
import type { ComposeStackConfig } from '../../model/config.ts';
import { Fault } from '../../model/fault.ts';
import { Leftovers, Secrets } from '../host/index.ts';
import { answersOk, expandText, runBuildSteps } from '../process/index.ts';
import { serviceUrls } from './addresses.ts';
import { DockerCli } from './cli.ts';
import { type Container, readContainers, readLog, readLogNow } from './containers.ts';
import type { CpuSets } from './cpu-sets.ts';
import { type DataStepMessage, readDataStep } from './data-step.ts';
import { Endings } from './endings.ts';
import { checkEngine } from './engine.ts';
import { failedContainer } from './failure.ts';
import { ComposeFaults, isDone } from './faults.ts';
import { buildImages, imageVersions, pullMissingImages } from './images.ts';
import { type Copy, isolatingOverride, isolationNote, otherCpusNote, ownImages } from './isolation.ts';
import { saveLogs } from './log-file.ts';
import { type ComposeFile, readComposeFile, requirePorts, withImages } from './merged-config.ts';
import { projectName, remainsOf, removeProject } from './project.ts';
import { ComposeUp } from './up.ts';
import { usageReader } from './usage.ts';
import { ComposeWatch } from './watch.ts';

const pollMs = 50;
/** How long to go without a look at the containers when no event calls for one. */
const lookMs = 1_000;
/** Lines of a log that go into an error: the cause of a Spring boot failure is about 20 lines from its end. */
const shownLines = 30;
/** Lines of a one-shot step's log that are searched for its message. */
const dataStepLines = 200;

export interface ComposeStackOptions {
  readonly config: ComposeStackConfig;
  /** Absolute path of the compose file. */
  readonly file: string;
  /** Folder of the build steps. */
  readonly root: string;
  /** Checkout that the stack belongs to: those of two checkouts run side by side. */
  readonly checkout: string;
  /** Per-user cache, for `env` of the config as CACHE_DIR. */
  readonly cacheDirectory: string;
  /** Scratch folder of this checkout, for `env` of the config as WORK_DIR. */
  readonly workDirectory: string;
  readonly logDirectory: string;
  /** Environment that every command inherits. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Undefined with too few CPUs to keep anything apart. */
  readonly cpuSets: CpuSets | undefined;
  readonly clock: Clock;
  readonly note: (text: string) => void;
}

/** Runs the service and what it needs as containers of a compose file. */
export function createComposeStack(options: ComposeStackOptions): Stack {
  return new ComposeStack(options);
}

/** What there is once the compose file was read. */
interface Prepared {
  readonly file: ComposeFile;
  /** Absolute paths of all that the stack is made from. */
  readonly files: readonly [string, ...string[]];
  readonly endings: Endings;
  readonly faults: ComposeFaults;
}

class ComposeStack implements Stack {
  readonly kind = 'compose';
  readonly #options: ComposeStackOptions;
  readonly #project: string;
  readonly #leftovers: Leftovers;
  readonly #docker: DockerCli;
  readonly #secrets = new Secrets();
  /** What the data step archives stays here from one run to the next. */
  readonly #snapshotDirectory: string;
  #prepared: Prepared | undefined;
  #watch: ComposeWatch | undefined;
  #dataSteps: readonly DataStepMessage[] = [];
  #serviceId: string | undefined;
  /** True from the moment that something may be there to remove. */
  #present = false;
  /** Aborted when the check is given up. */
  #signal: AbortSignal | undefined;

  constructor(options: ComposeStackOptions) {
    const { config, env, cacheDirectory, workDirectory, cpuSets } = options;
    this.#options = options;
    this.#project = projectName(options.checkout);
    this.#leftovers = new Leftovers(join(workDirectory, 'docker-commands.json'));
    this.#docker = new DockerCli(env, this.#leftovers);
    this.#snapshotDirectory = join(cacheDirectory, 'snapshots');
    const folders = { CACHE_DIR: cacheDirectory, WORK_DIR: workDirectory };
    const configured = Object.fromEntries(
      Object.entries(config.env).map(([key, text]) => [key, expandText(text, folders)]),
    );
    const made = Object.fromEntries(
      config.secrets.map((key) => [key, randomBytes(18).toString('base64url')]),
    );
    this.#docker.addEnv({
      SNAPSHOT_DIR: this.#snapshotDirectory,
      APP_CPUSET: cpuSets?.service ?? '',
      DB_CPUSET: cpuSets?.backing ?? '',
      ...configured,
      ...made,
    });
    this.#secrets.addFrom({ ...env, ...configured });
    for (const value of Object.values(made)) this.#secrets.add(value);
  }

  prepare(signal: AbortSignal): Promise<void> {
    return this.#masking(async () => {
      const { config, root, env, workDirectory, logDirectory, cpuSets, note } = this.#options;
      mkdirSync(workDirectory, { recursive: true });
      mkdirSync(logDirectory, { recursive: true });
      mkdirSync(this.#snapshotDirectory, { recursive: true });
      const engine = await checkEngine(this.#docker, signal);
      await this.#removeLeftovers();
      const written = await this.#readFile(signal);
      const copy = this.#copy();
      const files = this.#isolate(written, copy);
      const file = withImages(written, ownImages(written.config, copy));
      const servers = [config.service, ...(config.backingMetrics ? [config.backingMetrics.service] : [])];
      const endings = new Endings(file, servers);
      const faults = new ComposeFaults(this.#docker, endings);
      this.#prepared = { file, files, endings, faults };
      await runBuildSteps(
        config.build,
        {
          root,
          env,
          note,
          stampDirectory: join(workDirectory, 'built'),
          logFile: join(logDirectory, 'build.log'),
          leftovers: this.#leftovers,
          masked: (text) => this.#secrets.masked(text),
        },
        signal,
      );
      if (config.buildImages) {
        await buildImages(this.#docker, engine, this.#project, files, signal);
      }
      await pullMissingImages(this.#docker, file, note, signal);
      note(
        cpuSets === undefined || copy.cpus === undefined
          ? 'too few CPUs to keep service, backing services and load generator apart: they share them'
          : `CPUs: service ${cpuSets.service}, backing services ${cpuSets.backing}, load generator ${cpuSets.generator}${otherCpusNote(file.config, copy.cpus)}`,
      );
    });
  }

  up(signal: AbortSignal): Promise<Readonly<Record<string, number>>> {
    return this.#masking(async () => {
      const { config, clock } = this.#options;
      const { file, endings, faults } = this.#ready();
      this.#present = true;
      this.#signal = signal;
      const watch = new ComposeWatch({
        docker: this.#docker,
        project: this.#project,
        endings,
        faults,
        clock,
      });
      this.#watch = watch;
      const backing = file.services.filter((name) => name !== config.service);
      // The service is made here too: what is made by one command is never half there.
      await this.#up().create(file.services, [], signal);
      if (backing.length === 0) return {};
      const deadline = clock.monotonicMs() + config.upWithin * 1000;
      await this.#up().start(backing, [], config.upWithin, signal);
      for (;;) {
        const containers = await watch.containers();
        const failed = failedContainer(containers, endings);
        if (failed !== undefined) throw await faults.ofContainer(failed, 'boot');
        if (backing.every((name) => isDone(name, containers, endings))) break;
        if (clock.monotonicMs() > deadline) {
          throw await faults.ofTimeout(containers, backing, config.upWithin);
        }
        await watch.next(lookMs, signal);
      }
      this.#dataSteps = await this.#readDataSteps();
      const timings = this.#dataSteps.flatMap(({ timingsMs }) => Object.entries(timingsMs));
      return Object.fromEntries(timings.map(([step, milliseconds]) => [step, milliseconds / 1000]));
    });
  }

  boot(signal: AbortSignal): Promise<BootedService> {
    return this.#masking(async () => {
      const { config, clock } = this.#options;
      const { file, endings, faults } = this.#ready();
      const watch = this.#watched();
      const deadline = clock.monotonicMs() + config.ready.within * 1000;
      const former = (await readContainers(this.#docker, this.#project)).find(
        ({ service, status }) => service === config.service && status !== 'created',
      );
      if (former !== undefined) {
        watch.expectEnd(former.id);
        await this.#up().create([config.service], ['--force-recreate'], signal);
      }
      // With what it depends on, steps that have ended would run again.
      await this.#up().start([config.service], ['--no-deps'], config.ready.within, signal);
      await this.#waitUntilReady(deadline, signal);
      const failure = watch.failure();
      const containers = await watch.containers();
      const failed = failedContainer(containers, endings);
      if (failed !== undefined) throw await faults.ofContainer(failed, 'boot');
      endings.loadBegins(containers);
      return {
        ...(await serviceUrls(containers, config, this.#options.note, signal)),
        readUsage: usageReader(containers, config.service, this.#options.note),
        versions: Object.assign(
          {},
          await imageVersions(this.#docker, file, config.service, signal),
          ...this.#dataSteps.map(({ versions }) => versions),
        ),
        dataKey: this.#dataSteps.flatMap(({ dataKey = [] }) => dataKey).join(' '),
        failure: this.#maskedFailure(failure),
        verify: () => this.#masking(() => watch.verify(containers)),
      };
    });
  }

  logTail(lines: number): readonly string[] {
    if (this.#serviceId === undefined) return [];
    return readLogNow(this.#docker, this.#serviceId, lines).map((line) => this.#secrets.masked(line));
  }

  async down(): Promise<void> {
    if (!this.#present) return;
    this.#watch?.close();
    const { config, note } = this.#options;
    // The runner gives a cancelled job 10 s, and everything goes with its volumes: nothing has to end in good order.
    const stopWithin = this.#signal?.aborted ? 0 : config.stopWithin;
    await this.#saveLogs();
    try {
      await removeProject(this.#docker, this.#project, stopWithin);
      this.#present = false;
    } catch (error) {
      // What was measured is not worse for it, and what went wrong before is more worth telling; the next check
      // finds what is left by the project's name.
      if (!(error instanceof Fault)) throw error;
      note(`containers may be left: ${error.details.cause}; the next check removes them`);
    }
  }

  /** Nobody misses a log so much that containers and volumes should stay for it. */
  async #saveLogs(): Promise<void> {
    const { logDirectory, note } = this.#options;
    const masked = (text: string) => this.#secrets.masked(text);
    try {
      const containers = await readContainers(this.#docker, this.#project);
      await saveLogs(this.#docker, containers, join(logDirectory, 'compose.log'), masked);
    } catch (error) {
      const cause = error instanceof Fault ? error.details.cause : String(error);
      note(`the logs of the containers were not saved: ${masked(cause)}`);
    }
  }

  async #removeLeftovers(): Promise<void> {
    const { config, note } = this.#options;
    for (const left of this.#leftovers.kill()) note(`ended what an earlier check left running: ${left}`);
    const remains = await remainsOf(this.#docker, this.#project);
    if (remains === '') return;
    note(`removing what an earlier check left: ${remains} of ${this.#project}`);
    await removeProject(this.#docker, this.#project, config.stopWithin);
  }

  async #readFile(signal: AbortSignal): Promise<ComposeFile> {
    const { config, file: path } = this.#options;
    const file = await readComposeFile(this.#docker, this.#project, path, signal);
    for (const environment of file.environments) this.#secrets.addFrom(environment);
    // A password for development is often just the service's name, and a report without that says nothing.
    this.#secrets.exceptNames([this.#project, ...file.services]);
    for (const image of file.images.values()) this.#secrets.exceptNames([image, ...image.split(/[/:@]/)]);
    const { service, port, ready, metrics, backingMetrics } = config;
    requirePorts(file, path, service, [port, ready.port, ...(metrics === undefined ? [] : [metrics.port])]);
    if (backingMetrics !== undefined) {
      requirePorts(file, path, backingMetrics.service, [backingMetrics.port]);
    }
    return file;
  }

  #copy(): Copy {
    const { config, cpuSets } = this.#options;
    return {
      project: this.#project,
      buildsImages: config.buildImages,
      ...(cpuSets === undefined ? {} : { cpus: { underTest: config.service, sets: cpuSets } }),
    };
  }

  /** Puts what keeps this stack apart from others beside the compose file. */
  #isolate({ config }: ComposeFile, copy: Copy): readonly [string, ...string[]] {
    const { file: path, workDirectory, note } = this.#options;
    const override = isolatingOverride(config, copy);
    if (override === undefined) return [path];
    const overridePath = join(workDirectory, 'compose.override.yml');
    writeFileSync(overridePath, override);
    const told = isolationNote(config, copy);
    if (told !== undefined) note(told);
    return [path, overridePath];
  }

  #up(): ComposeUp {
    const { config } = this.#options;
    const { files, faults } = this.#ready();
    return new ComposeUp({
      docker: this.#docker,
      project: this.#project,
      files,
      watch: this.#watched(),
      faults,
      createWithin: config.upWithin,
    });
  }

  /** Asks the service often and the engine only when something happened: asking it costs the booting service CPU. */
  async #waitUntilReady(deadline: number, signal: AbortSignal): Promise<void> {
    const { config, clock } = this.#options;
    const { faults } = this.#ready();
    const watch = this.#watched();
    let broken = false;
    const off = watch.onFailure(() => {
      broken = true;
    });
    try {
      const { id, published } = await this.#readService();
      this.#serviceId = id;
      const url = `http://${published.get(config.ready.port)}${config.ready.path}`;
      for (;;) {
        signal.throwIfAborted();
        if (broken) {
          throw await faults.ofUp(undefined, await watch.containers(), [config.service], config.ready.within);
        }
        if (await answersOk(url, signal)) return;
        if (clock.monotonicMs() > deadline) throw await this.#notReady(url);
        await clock.wait(pollMs, signal);
      }
    } finally {
      off();
    }
  }

  /** Throws a Fault if it is not there to be asked. */
  async #readService(): Promise<Container> {
    const { config } = this.#options;
    const { endings, faults } = this.#ready();
    const containers = await this.#watched().containers();
    const failed = failedContainer(containers, endings);
    if (failed !== undefined) throw await faults.ofContainer(failed, 'boot');
    const service = containers.find((one) => one.service === config.service);
    if (service?.status === 'running') return service;
    throw await faults.ofTimeout(containers, [config.service], config.ready.within);
  }

  async #notReady(url: string): Promise<Fault> {
    const { config } = this.#options;
    const { service } = config;
    return new Fault({
      code: 'E_STACK_TIMEOUT',
      kind: 'measurement',
      place: `service ${service}`,
      cause: `${service} runs, but ${url} did not answer 2xx within ${config.ready.within} s`,
      nextStep: 'read the last lines of its log; raise `stack.compose.ready.within` if it only needs longer',
      logTail: this.#serviceId === undefined ? [] : await readLog(this.#docker, this.#serviceId, shownLines),
    });
  }

  /** What the steps that have ended told of the data. */
  async #readDataSteps(): Promise<DataStepMessage[]> {
    const { file } = this.#ready();
    const messages: DataStepMessage[] = [];
    for (const { service, id } of await readContainers(this.#docker, this.#project)) {
      if (!file.oneShot.has(service)) continue;
      const message = readDataStep(await readLog(this.#docker, id, dataStepLines));
      if (message === undefined) continue;
      messages.push(message);
      if (message.rebuilt !== '') this.#options.note(`${service}: data was made anew: ${message.rebuilt}`);
    }
    return messages;
  }

  #ready(): Prepared {
    if (this.#prepared === undefined) throw new Error('prepare() comes before up() and boot()');
    return this.#prepared;
  }

  #watched(): ComposeWatch {
    if (this.#watch === undefined) throw new Error('up() comes before boot()');
    return this.#watch;
  }

  #maskedFailure(failure: Promise<never>): Promise<never> {
    const masked = this.#masking(() => failure);
    // Whoever waits for it gets the rejection; until somebody does, it is not an unhandled one.
    masked.catch(() => undefined);
    return masked;
  }

  async #masking<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.#masked(error);
    }
  }

  /** What a container printed may hold what it was given. */
  #masked(error: unknown): unknown {
    if (!(error instanceof Fault)) return error;
    const { details } = error;
    const masked = (text: string) => this.#secrets.masked(text);
    return new Fault(
      {
        ...details,
        place: masked(details.place),
        cause: masked(details.cause),
        ...(details.logTail === undefined ? {} : { logTail: details.logTail.map(masked) }),
      },
      { cause: error },
    );
  }
}
