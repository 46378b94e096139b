import { createHash } from 'node:crypto';
import type { BootedService, Stack } from '../../measure/index.ts';
import type { ProcessStackConfig } from '../../model/config.ts';
import { Fault } from '../../model/fault.ts';
import { sessionMembers } from '../host/index.ts';
import { CpuCap, cpuSecondsByName, cpusUntilWarm, readProcesses } from '../machine/index.ts';
import { Backing, type BackingReady } from './backing.ts';
import { Balancer, balancerVersion } from './balancer.ts';
import { runBuildSteps } from './build-steps.ts';
import { DataFolders } from './data-folders.ts';
import { expandEnv, expandText } from './expand-text.ts';
import { readCompileMs } from './jvm-counters.ts';
import { joinedKey, SeededData } from './seeded-data.ts';
import { ServiceInstance } from './service-instance.ts';
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
  readonly #instances: ServiceInstance[] = [];
  #caps: readonly CpuCap[] = [];
  #balancer: Balancer | undefined;
  #goingDown = false;

  constructor(options: StackOptions<ProcessStackConfig>) {
    this.#options = options;
    this.#work = new StackWork(options, 'processes.json');
    this.#work.secrets.addFrom(options.config.service.env);
  }

  async prepare(signal: AbortSignal): Promise<void> {
    const { config, env } = this.#options;
    const { service, build } = config;
    requireOwnPorts(service);
    // Whatever is missing is said before anything is built.
    if (service.instances !== undefined) await balancerVersion(env);
    if (service.cpus !== undefined) this.#caps = this.#createCaps(cpusUntilWarm(service.cpus));
    this.#work.begin();
    await runBuildSteps(build, this.#work, { ...env, ...this.#variables() }, signal);
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
      return stepSeconds(this.#backingReady.timingsMs);
    });
  }

  async boot(signal: AbortSignal): Promise<BootedService> {
    const { service: config, backingMetrics } = this.#options.config;
    // Backing services have the data in use from up() on.
    if (this.#backing === undefined) await this.#data?.restore(signal);
    const [first, ...others] = await this.#startInstances();
    const all = [first, ...others];
    await Promise.all(all.map((instance) => instance.waitUntilReady(signal)));
    const backing = this.#backing?.process;
    const { metricsUrl: announced, metricsExcludeScrapes, versions, dataKey = '' } = this.#backingReady ?? {};
    const { metrics, cpus } = config;
    const pids = all.map(({ process }) => process.pid);
    const booted: BootedService = {
      url: first.expand(config.url),
      metricsUrls: metrics === undefined ? [] : all.map((instance) => instance.expand(metrics)),
      backingMetricsUrls: [
        ...(announced === undefined ? [] : [announced]),
        ...backingMetrics.map((page) => first.expand(page)),
      ],
      backingMetricsExcludeScrapes: metricsExcludeScrapes === true && backingMetrics.length === 0,
      readUsage: () => ({
        service: readProcesses(pids),
        backing: readProcesses(backing === undefined ? [] : [backing.pid]),
      }),
      readBackingCpuSeconds: () => cpuSecondsByName(backing === undefined ? [] : [backing.pid]),
      readCompileMs: () => readCompileMs(pids.flatMap(sessionMembers)),
      profiler: sessionProfiler(first.process.pid, this.#work),
      versions: { ...versions, ...(cpus === undefined ? {} : { cpus: String(cpus) }) },
      dataKey: joinedKey(dataKey, this.#data?.key),
      failure: this.#failure(all),
      ...(cpus !== undefined && {
        limitCpu: async () => {
          for (const cap of this.#caps) cap.set(cpus);
        },
      }),
    };
    if (config.instances === undefined) return booted;
    const urls = all.map((instance) => instance.expand(config.url));
    this.#balancer = await Balancer.start(this.#work, urls, signal);
    return this.#balancer.inFront(booted);
  }

  logTail(lines: number): readonly string[] {
    const share = Math.ceil(lines / Math.max(1, this.#instances.length));
    return this.#instances.flatMap(({ process }) => process.logTail(share));
  }

  async down(): Promise<void> {
    this.#goingDown = true;
    // The service goes first: losing its database would only fill its log.
    try {
      await this.#balancer?.stop();
      await Promise.all(this.#instances.map((instance) => instance.stop()));
    } finally {
      await this.#work.stop(this.#backing?.process, backingStopWithin);
    }
    for (const cap of this.#caps) cap.remove();
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

  async #startInstances(): Promise<readonly [ServiceInstance, ...ServiceInstance[]]> {
    const { config } = this.#options;
    const { instances } = config.service;
    const variables = this.#variables();
    const start = async (number: number) => {
      const cap = this.#caps[number - 1];
      const instance = await ServiceInstance.start({
        config: config.service,
        work: this.#work,
        variables,
        ...(instances !== undefined && { number }),
        ...(cap !== undefined && { cap }),
      });
      // Kept at once, so that down() ends it if a later one fails.
      this.#instances.push(instance);
      return instance;
    };
    const first = await start(1);
    const others: ServiceInstance[] = [];
    for (let number = 2; number <= (instances ?? 1); number += 1) others.push(await start(number));
    return [first, ...others];
  }

  #createCaps(cpus: number): readonly CpuCap[] {
    const { config, workDirectory } = this.#options;
    // The same names in every check of the checkout, so that a group that was left is taken again.
    const hash = createHash('sha256').update(workDirectory).digest('hex').slice(0, 12);
    return Array.from({ length: config.service.instances ?? 1 }, (_, index) =>
      CpuCap.create(`perf-gate-${hash}-${index + 1}`, cpus),
    );
  }

  /** Rejects with a Fault once the service or its backing ends before `down()`. */
  #failure(instances: readonly ServiceInstance[]): Promise<never> {
    const { promise, reject } = Promise.withResolvers<never>();
    const fail = (fault: Fault) => {
      if (!this.#goingDown) reject(fault);
    };
    for (const instance of instances) void instance.died().then(fail);
    void this.#backing?.ended.then(fail);
    // A failure before the caller awaits this promise is no unhandled rejection.
    promise.catch(() => undefined);
    return promise;
  }

  #variables(): Record<string, string> {
    const { cacheDirectory, workDirectory } = this.#options;
    return { CACHE_DIR: cacheDirectory, WORK_DIR: workDirectory, ...this.#backingReady?.env };
  }
}

/** Throws a Fault if several instances would have one port. */
function requireOwnPorts({ instances = 1, ports }: ProcessStackConfig['service']): void {
  const fixed = Object.entries(ports).find(([, port]) => port !== 'auto');
  if (instances === 1 || fixed === undefined) return;
  throw new Fault({
    code: 'E_INSTANCE_PORT',
    kind: 'usage',
    place: `stack.process.service.ports.${fixed[0]}`,
    cause: `${instances} instances cannot all have port ${fixed[1]}`,
    nextStep: 'write `auto` instead of the number, so that each takes a free port',
  });
}
