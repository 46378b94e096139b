import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BootedService } from '../../measure/index.ts';
import { Fault } from '../../model/fault.ts';
import { cpuSecondsByName, readProcesses } from '../machine/index.ts';
import { haproxyConfiguration, type Instance, lostInstances } from './haproxy-files.ts';
import { exitText, type ManagedProcess } from './managed-process.ts';
import { waitUntilReady } from './ready.ts';
import { reserveAnyPort } from './reserve-port.ts';
import type { StackWork } from './stack-work.ts';

const program = 'haproxy';
const readyWithin = 20;
const stopWithin = 2;
const answerTimeoutMs = 5_000;
/** How often its status is read, so that a lost instance ends the load and not only its result. */
const lookEveryMs = 1_000;
/** Time for the stack to say first that the instance ended, which is why the balancer lost it. */
const causeWithinMs = 3_000;

/** Its version. Throws a Fault if it does not run. */
export async function balancerVersion(env: NodeJS.ProcessEnv): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, ['-v'], { env, timeout: answerTimeoutMs });
    return /version (\S+)/.exec(stdout)?.[1] ?? 'unknown';
  } catch (error) {
    throw new Fault(
      {
        code: 'E_BALANCER_MISSING',
        kind: 'usage',
        place: program,
        cause: `several instances need HAProxy, which does not run: ${(error as Error).message}`,
        nextStep:
          'install the package haproxy, such as with `apt-get install haproxy`; Debian puts it into /usr/sbin, which has to be on PATH',
      },
      { cause: error },
    );
  }
}

/** HAProxy, as a process of this machine, in front of all instances of the service. Each request goes to the next one. */
export class Balancer {
  readonly #work: StackWork;
  readonly #version: string;
  readonly #process: ManagedProcess;
  readonly #instances: readonly Instance[];
  /** What people and the load reach. */
  readonly #url: string;
  readonly #statusUrl: string;
  readonly #stopping = new AbortController();

  private constructor(
    work: StackWork,
    version: string,
    started: {
      readonly process: ManagedProcess;
      readonly instances: readonly Instance[];
      readonly url: string;
      readonly statusUrl: string;
    },
  ) {
    this.#work = work;
    this.#version = version;
    this.#process = started.process;
    this.#instances = started.instances;
    this.#url = started.url;
    this.#statusUrl = started.statusUrl;
  }

  /**
   * Starts it in front of instances that are ready.
   *
   * @param urls what the instances would be loaded at, which differ in their hosts and ports alone
   */
  static async start(work: StackWork, urls: readonly string[], signal: AbortSignal): Promise<Balancer> {
    const { env, workDirectory, clock } = work.options;
    const version = await balancerVersion(env);
    const instances = urls.map((url, index) => ({
      name: `instance ${index + 1}`,
      origin: new URL(url).origin,
    }));
    const { protocol, pathname } = new URL(urls[0] ?? '');
    const [port, statusPort] = [await reserveAnyPort(program), await reserveAnyPort(program)];
    const path = join(workDirectory, 'haproxy.cfg');
    writeFileSync(path, haproxyConfiguration(instances, protocol, port, statusPort));
    const process = await work.start({
      role: 'balancer',
      log: 'balancer.log',
      command: [program, '-db', '-f', path],
      env,
    });
    const balancer = new Balancer(work, version, {
      process,
      instances,
      url: `${protocol}//127.0.0.1:${port}${pathname === '/' ? '' : pathname}`,
      statusUrl: `http://127.0.0.1:${statusPort}/;csv`,
    });
    const check = () => {
      if (process.ended !== undefined) throw balancer.#ended(exitText(process.ended));
    };
    const deadlineMs = clock.monotonicMs() + 1000 * readyWithin;
    try {
      if (await waitUntilReady({ url: balancer.#statusUrl, deadlineMs, clock, signal, check }))
        return balancer;
      throw balancer.#fault(`it did not answer within ${readyWithin} s`);
    } catch (error) {
      await balancer.stop();
      throw error;
    }
  }

  /** The service as it is reached through the balancer, whose CPU and memory count with the backing services. */
  inFront(booted: BootedService): BootedService {
    const addresses = this.#instances.map(({ name, origin }) => [name, origin] as const);
    this.#work.options.note(
      `HAProxy at ${this.#url} in front of ${addresses.map((one) => one.join(' at ')).join(', ')}`,
    );
    const failure = Promise.race([booted.failure, this.#failure(), this.#loss()]);
    // A failure before the caller awaits this promise is no unhandled rejection.
    failure.catch(() => undefined);
    const pids = [this.#process.pid];
    return {
      ...booted,
      url: this.#url,
      addresses: { ...booted.addresses, ...Object.fromEntries(addresses) },
      readUsage: () => {
        const { service, backing } = booted.readUsage();
        const own = readProcesses(pids);
        return {
          service,
          backing: {
            cpuSeconds: backing.cpuSeconds + own.cpuSeconds,
            rssBytes: backing.rssBytes + own.rssBytes,
          },
        };
      },
      readBackingCpuSeconds: () => ({ ...booted.readBackingCpuSeconds?.(), ...cpuSecondsByName(pids) }),
      versions: { ...booted.versions, haproxy: this.#version, instances: String(this.#instances.length) },
      failure,
      verify: async () => {
        await booted.verify?.();
        await this.#verify();
      },
    };
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#work.stop(this.#process, stopWithin);
  }

  /** Throws a Fault if the balancer has sent an instance no requests for a while: the figures are those of fewer. */
  async #verify(): Promise<void> {
    let lost: Fault | undefined;
    try {
      lost = await this.#lost();
    } catch (error) {
      if (this.#process.ended !== undefined) throw this.#ended(exitText(this.#process.ended));
      throw this.#fault(`its status could not be read: ${(error as Error).message}`);
    }
    if (lost !== undefined) throw lost;
  }

  /** Names an instance that gets no requests, or got none for a while. */
  async #lost(): Promise<Fault | undefined> {
    const answer = await fetch(this.#statusUrl, { signal: AbortSignal.timeout(answerTimeoutMs) });
    const [lost] = lostInstances(await answer.text(), this.#instances);
    if (lost === undefined) return undefined;
    return new Fault({
      code: 'E_INSTANCE_LOST',
      kind: 'measurement',
      place: lost.name,
      cause: `the balancer lost ${lost.name} of ${this.#instances.length} (${lost.origin}): ${lost.state}`,
      nextStep: "read the instance's log to find out why it took no connections; then measure again",
      logTail: this.#process.logTail(),
    });
  }

  /** Rejects once the balancer loses an instance before `stop()`. */
  async #loss(): Promise<never> {
    const { signal } = this.#stopping;
    const wait = (ms: number) => this.#work.options.clock.wait(ms, signal).catch(() => undefined);
    // A status that a busy machine does not read in time is no loss; `verify` reads it again after the load.
    const look = () => this.#lost().catch(() => undefined);
    let lost: Fault | undefined;
    while (lost === undefined && !signal.aborted) {
      await wait(lookEveryMs);
      lost = await look();
    }
    await wait(causeWithinMs);
    if (lost === undefined || signal.aborted) return new Promise(() => undefined);
    throw lost;
  }

  /** Rejects once the balancer ends before `stop()`. */
  async #failure(): Promise<never> {
    const exit = await this.#process.exit;
    if (this.#stopping.signal.aborted) return new Promise(() => undefined);
    throw this.#ended(exitText(exit));
  }

  #ended(how: string): Fault {
    return this.#fault(`it ended unexpectedly, with ${how}`);
  }

  #fault(cause: string): Fault {
    return new Fault({
      code: 'E_BALANCER',
      kind: 'measurement',
      place: program,
      cause: `the balancer in front of the instances failed: ${cause}`,
      nextStep: 'read the last lines of balancer.log; if a port was taken meanwhile, measure again',
      logTail: this.#process.logTail(),
    });
  }
}
