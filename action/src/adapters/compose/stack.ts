import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BootedService, Stack } from '../../measure/index.ts';
import type { ComposeStackConfig, DataConfig } from '../../model/config.ts';
import { Fault } from '../../model/fault.ts';
import { type CpuSets, cpusUntilWarm } from '../machine/index.ts';
import {
  Balancer,
  balancerVersion,
  expandText,
  joinedKey,
  runBuildSteps,
  SeededData,
  type StackOptions,
  StackWork,
} from '../process/index.ts';
import { type ComposeFile, readComposeFile, requirePorts, withImages } from './compose-file.ts';
import { readContainers, saveLogs } from './containers.ts';
import { DataVolumes } from './data-volumes.ts';
import { DockerCli } from './docker.ts';
import { checkEngine } from './engine.ts';
import { buildImages, pullMissingImages } from './images.ts';
import { type Copy, isolatingOverride, isolationNote, otherCpusNote, ownImages } from './isolation.ts';
import { projectName, remainsOf, removeProject } from './project.ts';
import { ComposeRun } from './run.ts';

const secretBytes = 18;

interface ComposeStackOptions extends StackOptions<ComposeStackConfig> {
  /** Absolute path of the compose file. */
  readonly file: string;
  /** Checkout that the stack belongs to: two checkouts have two stacks. */
  readonly checkout: string;
  /** Undefined with too few CPUs to keep anything apart. */
  readonly cpuSets: CpuSets | undefined;
  /** Profiles whose services start too. */
  readonly profiles: readonly string[];
}

/** Runs the service and its backing services as containers of a compose file. */
export function createComposeStack(options: ComposeStackOptions): Stack {
  return new ComposeStack(options);
}

class ComposeStack implements Stack {
  readonly kind = 'compose';
  readonly #options: ComposeStackOptions;
  readonly #work: StackWork;
  readonly #project: string;
  readonly #docker: DockerCli;
  /** The data step keeps its archives here from one run to the next. */
  readonly #snapshotDirectory: string;
  /** Variables of the compose file. */
  readonly #composeEnv: Readonly<Record<string, string>>;
  /** Of `data`; set by `up()`. */
  #dataKey: string | undefined;
  /** Set by `prepare()`. */
  #prepared: { readonly file: ComposeFile; readonly files: readonly string[] } | undefined;
  /** Set by `up()`: from then on containers may exist. */
  #run: ComposeRun | undefined;
  #balancer: Balancer | undefined;
  /** Aborts when the check is cancelled. */
  #signal: AbortSignal | undefined;

  constructor(options: ComposeStackOptions) {
    const { config, cacheDirectory, workDirectory, cpuSets } = options;
    this.#options = options;
    this.#work = new StackWork(options, 'docker-commands.json');
    this.#project = projectName(options.checkout);
    this.#snapshotDirectory = join(cacheDirectory, 'snapshots');
    const folders = { CACHE_DIR: cacheDirectory, WORK_DIR: workDirectory };
    const configured = Object.fromEntries(
      Object.entries(config.env).map(([key, text]) => [key, expandText(text, folders)]),
    );
    const generated = Object.fromEntries(
      config.secrets.map((key) => [key, randomBytes(secretBytes).toString('base64url')]),
    );
    this.#work.secrets.addFrom(configured);
    for (const value of Object.values(generated)) this.#work.secrets.add(value);
    this.#docker = new DockerCli(options.env, this.#work.leftovers);
    this.#composeEnv = {
      SNAPSHOT_DIR: this.#snapshotDirectory,
      APP_CPUSET: cpuSets?.service ?? '',
      DB_CPUSET: cpuSets?.backing ?? '',
      ...(options.profiles.length === 0 ? {} : { COMPOSE_PROFILES: options.profiles.join() }),
      ...configured,
      ...generated,
    };
    this.#docker.addEnv(this.#composeEnv);
  }

  prepare(signal: AbortSignal): Promise<void> {
    return this.#work.masking(async () => {
      const { config, env, note } = this.#options;
      // Whatever is missing is said before anything is built.
      if (config.instances !== undefined) await balancerVersion(env);
      this.#work.begin();
      mkdirSync(this.#snapshotDirectory, { recursive: true });
      const engine = await checkEngine(this.#docker, signal);
      await this.#removeRemains();
      const { file, files } = await this.#isolate(signal);
      this.#prepared = { file, files };
      await runBuildSteps(config.build, this.#work, env, signal);
      if (config.buildImages) await buildImages(this.#docker, engine, this.#project, files, signal);
      await pullMissingImages(this.#docker, file, note, signal);
      this.#noteCpus(file);
    });
  }

  up(signal: AbortSignal): Promise<Readonly<Record<string, number>>> {
    return this.#work.masking(async () => {
      if (this.#prepared === undefined) throw new Error('prepare() comes before up()');
      const { config, clock, note } = this.#options;
      this.#signal = signal;
      const options = {
        config,
        docker: this.#docker,
        project: this.#project,
        clock,
        note,
        ...this.#prepared,
      };
      const begin = () => {
        this.#run = new ComposeRun(options);
        return this.#run;
      };
      const data = config.data && (await this.#seeded(config.data, this.#prepared, begin, signal));
      this.#dataKey = data?.key;
      return await begin().startBacking(signal, async () => data?.restore(signal));
    });
  }

  boot(signal: AbortSignal): Promise<BootedService> {
    return this.#work.masking(async () => {
      if (this.#run === undefined) throw new Error('up() comes before boot()');
      const booted = await this.#balanced(await this.#run.boot(signal), signal);
      const failure = this.#work.masking(() => booted.failure);
      // A failure before the caller awaits this promise is no unhandled rejection.
      failure.catch(() => undefined);
      const dataKey = joinedKey(booted.dataKey, this.#dataKey);
      return { ...booted, dataKey, failure, verify: () => this.#work.masking(async () => booted.verify?.()) };
    });
  }

  async #balanced(
    { booted, urls }: Awaited<ReturnType<ComposeRun['boot']>>,
    signal: AbortSignal,
  ): Promise<BootedService> {
    if (this.#options.config.instances === undefined) return booted;
    this.#balancer = await Balancer.start(this.#work, urls, signal);
    return this.#balancer.inFront(booted);
  }

  /** The data, made now if no snapshot has its key. Its containers are gone by then. */
  async #seeded(
    config: DataConfig,
    { file, files }: { readonly file: ComposeFile; readonly files: readonly string[] },
    begin: () => ComposeRun,
    signal: AbortSignal,
  ): Promise<SeededData> {
    const { cacheDirectory, workDirectory, env } = this.#options;
    const variables = { CACHE_DIR: cacheDirectory, WORK_DIR: workDirectory };
    const reach = { COMPOSE_FILE: files.join(':'), COMPOSE_PROJECT_NAME: this.#project };
    let run: ComposeRun | undefined;
    const place = await DataVolumes.of(config.snapshot, {
      docker: this.#docker,
      project: this.#project,
      file,
      open: async () => {
        run = begin();
        await run.startBacking(signal);
        return reach;
      },
      close: async () => run?.stop(),
    });
    const commandEnv = { ...env, ...this.#composeEnv, ...variables };
    const data = new SeededData({ config, work: this.#work, place, variables, env: commandEnv });
    if (await data.seed(signal)) {
      run?.close();
      await removeProject(this.#docker, this.#project, 0);
    }
    return data;
  }

  logTail(lines: number): readonly string[] {
    return this.#run?.logTail(lines).map(this.#work.masked) ?? [];
  }

  async down(): Promise<void> {
    if (this.#run === undefined) return;
    const { config, note } = this.#options;
    await this.#balancer?.stop();
    this.#run.close();
    await this.#saveLogs();
    // A cancelled job has 10 s left, and its volumes are removed anyway: containers need no orderly end.
    const stopWithin = this.#signal?.aborted ? 0 : config.stopWithin;
    try {
      await removeProject(this.#docker, this.#project, stopWithin);
      this.#run = undefined;
    } catch (error) {
      // What was measured stays valid, and an earlier error matters more. The next check finds the containers by name.
      if (!(error instanceof Fault)) throw error;
      note(`containers may be left: ${error.details.cause}; the next check removes them`);
    }
  }

  /** Reads the compose file and writes the override that makes this stack independent of others. */
  async #isolate(signal: AbortSignal): Promise<{ file: ComposeFile; files: readonly string[] }> {
    const { config, cpuSets, file: path, workDirectory, note } = this.#options;
    const file = await readComposeFile(this.#docker, this.#project, path, signal);
    this.#learnSecrets(file);
    const { service, port, ready, metrics, backingMetrics } = config;
    requirePorts(file, path, service, [port, ready.port, ...(metrics ? [metrics.port] : [])]);
    for (const page of backingMetrics) requirePorts(file, path, page.service, [page.port]);
    const copy: Copy = {
      project: this.#project,
      buildsImages: config.buildImages,
      ...(cpuSets && { cpus: { underTest: service, sets: cpuSets } }),
      size: {
        underTest: service,
        instances: config.instances,
        cpus: config.cpus === undefined ? undefined : cpusUntilWarm(config.cpus),
      },
    };
    const own = withImages(file, ownImages(file.config, copy));
    const override = isolatingOverride(file.config, copy);
    if (override === undefined) return { file: own, files: [path] };
    const overridePath = join(workDirectory, 'compose.override.yml');
    writeFileSync(overridePath, override);
    const changes = isolationNote(file.config, copy);
    if (changes !== undefined) note(changes);
    return { file: own, files: [path, overridePath] };
  }

  #learnSecrets(file: ComposeFile): void {
    const { secrets } = this.#work;
    for (const environment of file.environments) secrets.addFrom(environment);
    // A development password is often just the service's name, and a report without that name says nothing.
    secrets.exceptNames([this.#project, ...file.services]);
    for (const image of file.images.values()) secrets.exceptNames([image, ...image.split(/[/:@]/)]);
  }

  #noteCpus(file: ComposeFile): void {
    const { config, cpuSets, note } = this.#options;
    if (cpuSets === undefined) {
      note('service, backing services and load generator share all CPUs, which are too few to separate');
      return;
    }
    const { service, backing, generator } = cpuSets;
    const others = otherCpusNote(file.config, { underTest: config.service, sets: cpuSets });
    note(`CPUs: service ${service}, backing services ${backing}, load generator ${generator}${others}`);
  }

  async #removeRemains(): Promise<void> {
    const { config, note } = this.#options;
    const remains = await remainsOf(this.#docker, this.#project);
    if (remains === '') return;
    note(`removing what an earlier check left: ${remains} of ${this.#project}`);
    await removeProject(this.#docker, this.#project, config.stopWithin);
  }

  /** Missing logs are no reason to leave containers and volumes behind. */
  async #saveLogs(): Promise<void> {
    const { logDirectory, note } = this.#options;
    const { masked } = this.#work;
    try {
      const containers = await readContainers(this.#docker, this.#project);
      await saveLogs(this.#docker, containers, join(logDirectory, 'compose.log'), masked);
    } catch (error) {
      const cause = error instanceof Fault ? error.details.cause : String(error);
      note(`the logs of the containers were not saved: ${masked(cause)}`);
    }
  }
}
