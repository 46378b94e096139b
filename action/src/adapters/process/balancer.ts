import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BootedService } from '../../measure/index.ts';
import { Fault } from '../../model/fault.ts';
import { cpuSecondsByName, readProcesses } from '../machine/index.ts';
import { exitText, type ManagedProcess } from './managed-process.ts';
import { waitUntilReady } from './ready.ts';
import { reservePort } from './reserve-port.ts';
import type { StackWork } from './stack-work.ts';

const program = 'haproxy';
const readyWithin = 20;
const stopWithin = 2;
const answerTimeoutMs = 5_000;

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

interface Instance {
  /** Such as `instance 2`. */
  readonly name: string;
  /** Scheme, host and port of what it answers, without a path. */
  readonly origin: string;
}

/** HAProxy, as a process of this machine, in front of all instances of the service. Requests go to each in turn. */
export class Balancer {
  readonly #work: StackWork;
  readonly #version: string;
  readonly #process: ManagedProcess;
  readonly #instances: readonly Instance[];
  /** What people and the load reach. */
  readonly #url: string;
  readonly #statusUrl: string;
  #stopped = false;

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
    const [port, statusPort] = [await reservePort(0, program), await reservePort(0, program)];
    const path = join(workDirectory, 'haproxy.cfg');
    writeFileSync(path, configurationOf(instances, protocol, port, statusPort));
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
    const failure = Promise.race([booted.failure, this.#failure()]);
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
    this.#stopped = true;
    await this.#work.stop(this.#process, stopWithin);
  }

  /** Throws a Fault if the balancer has sent an instance no requests for a while: the figures are those of fewer. */
  async #verify(): Promise<void> {
    let text: string;
    try {
      const answer = await fetch(this.#statusUrl, { signal: AbortSignal.timeout(answerTimeoutMs) });
      text = await answer.text();
    } catch (error) {
      if (this.#process.ended !== undefined) throw this.#ended(exitText(this.#process.ended));
      throw this.#fault(`its status could not be read: ${(error as Error).message}`);
    }
    const [lost] = lostInstances(text, this.#instances);
    if (lost === undefined) return;
    throw new Fault({
      code: 'E_INSTANCE_LOST',
      kind: 'measurement',
      place: lost.name,
      cause: `the balancer lost ${lost.name} of ${this.#instances.length} (${lost.origin}): ${lost.state}`,
      nextStep: "read the instance's log to find out why it took no connections; then measure again",
      logTail: this.#process.logTail(),
    });
  }

  /** Rejects once the balancer ends before `stop()`. */
  async #failure(): Promise<never> {
    const exit = await this.#process.exit;
    if (this.#stopped) return new Promise(() => undefined);
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

/**
 * No request is tried with another instance, so an instance that fails shows in the figures. Nothing is cut off either: how
 * long users wait is up to the load. An instance is lost once it refuses two connections in a row; whether it answers is no
 * matter, because a busy one may be slow.
 */
function configurationOf(
  instances: readonly Instance[],
  protocol: string,
  port: number,
  statusPort: number,
): string {
  const servers = instances.map(
    ({ name, origin }) =>
      `  server ${serverOf(name)} ${new URL(origin).host} check inter 500ms fall 2 rise 1`,
  );
  return [
    'defaults',
    '  timeout connect 10s',
    '  timeout client 10m',
    '  timeout server 10m',
    '  retries 1',
    'listen service',
    // Encrypted requests cannot be told apart, so each connection takes its turn instead.
    `  mode ${protocol === 'https:' ? 'tcp' : 'http'}`,
    `  bind 127.0.0.1:${port}`,
    '  balance roundrobin',
    ...servers,
    'listen status',
    '  mode http',
    `  bind 127.0.0.1:${statusPort}`,
    '  stats enable',
    '  stats uri /',
    '',
  ].join('\n');
}

/** HAProxy's names have no spaces. */
function serverOf(name: string): string {
  return name.replaceAll(' ', '-');
}

/**
 * The instances that HAProxy sends no requests now, or did not for a while.
 *
 * @param text its statistics as CSV: `# pxname,svname,...`, one line per server
 */
export function lostInstances(
  text: string,
  instances: readonly Instance[],
): readonly (Instance & { readonly state: string })[] {
  const [head = '', ...lines] = text.split('\n');
  const columns = head.replace(/^# /, '').split(',');
  const rows = lines.map((line) => {
    const fields = line.split(',');
    return new Map(columns.map((column, index) => [column, fields[index] ?? '']));
  });
  return instances.flatMap((instance) => {
    const row = rows.find(
      (one) => one.get('pxname') === 'service' && one.get('svname') === serverOf(instance.name),
    );
    const status = row?.get('status') ?? 'unknown';
    const ends = Number(row?.get('chkdown') ?? 0);
    if (status.startsWith('UP') && ends === 0) return [];
    const seconds = Number(row?.get('downtime') ?? 0);
    const check = row?.get('check_status') ?? '';
    const now = status.startsWith('UP') ? 'it takes connections again' : `it is ${status}`;
    return [
      {
        ...instance,
        state: `${now}, after ${seconds} s without${check === '' ? '' : `, last check ${check}`}`,
      },
    ];
  });
}
