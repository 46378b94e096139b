import type { ProcessStackConfig } from '../../model/config.ts';
import { Fault } from '../../model/fault.ts';
import type { CpuCap } from '../machine/index.ts';
import { expandEnv, expandText } from './expand-text.ts';
import { exitText, type ManagedProcess } from './managed-process.ts';
import { waitUntilReady } from './ready.ts';
import { reserveAnyPort, reservePort } from './reserve-port.ts';
import type { StackWork } from './stack-work.ts';

interface InstanceOptions {
  readonly config: ProcessStackConfig['service'];
  readonly work: StackWork;
  /** Variables of the stack. */
  readonly variables: Readonly<Record<string, string>>;
  /** From 1; absent if the service is this one process. */
  readonly number?: number;
  readonly cap?: CpuCap;
}

/** One process of the service, with ports of its own. */
export class ServiceInstance {
  /** `service`, or `instance 2`. */
  readonly name: string;
  readonly process: ManagedProcess;
  readonly #options: InstanceOptions;
  /** Variables of the stack and its ports. */
  readonly #variables: Readonly<Record<string, string>>;

  private constructor(
    options: InstanceOptions,
    name: string,
    process: ManagedProcess,
    variables: Readonly<Record<string, string>>,
  ) {
    this.#options = options;
    this.name = name;
    this.process = process;
    this.#variables = variables;
  }

  static async start(options: InstanceOptions): Promise<ServiceInstance> {
    const { config, work, number, cap } = options;
    const ports: Record<string, string> = {};
    for (const [variable, port] of Object.entries(config.ports)) {
      const place = `service.ports.${variable}`;
      if (port !== 'auto') await reservePort(port, place);
      ports[variable] = String(port === 'auto' ? await reserveAnyPort(place) : port);
    }
    const variables = { ...options.variables, ...ports };
    const env = expandEnv(config.env, variables);
    work.secrets.addFrom(env);
    const command = config.command.map((text) => expandText(text, variables));
    const process = await work.start({
      role: number === undefined ? 'service' : `instance ${number} of the service`,
      log: number === undefined || number === 1 ? 'service.log' : `service-${number}.log`,
      command: cap?.within(command) ?? command,
      env: { ...work.options.env, ...variables, ...env },
    });
    const name = number === undefined ? 'service' : `instance ${number}`;
    return new ServiceInstance(options, name, process, variables);
  }

  expand(text: string): string {
    return expandText(text, this.#variables);
  }

  /** Throws a Fault if the process ends, or does not become ready in time. */
  async waitUntilReady(signal: AbortSignal): Promise<void> {
    const { config, work } = this.#options;
    const { clock } = work.options;
    const url = this.expand(config.ready.url);
    const { within } = config.ready;
    const check = () => {
      if (this.process.ended === undefined) return;
      throw this.#fault(
        'E_SERVICE_BOOT',
        `${this.#who()} ended while it started, with ${exitText(this.process.ended)}`,
        'read its last log lines; the last "Caused by" usually names the reason',
      );
    };
    const deadlineMs = clock.monotonicMs() + within * 1000;
    if (await waitUntilReady({ url, deadlineMs, clock, signal, check })) return;
    throw this.#fault(
      'E_NOT_READY',
      `${this.#who()} did not become ready within ${within} s`,
      'read its last log lines; raise `service.ready.within` in gate.yml if it only needs longer',
      url,
    );
  }

  /** Resolves with a Fault once the process has ended. */
  async died(): Promise<Fault> {
    const exit = await this.process.exit;
    return this.#fault(
      'E_SERVICE_DIED',
      `${this.#who()} ended unexpectedly, with ${exitText(exit)}`,
      'read its last log lines; exit code 137 or SIGKILL usually means that memory ran out',
    );
  }

  async stop(): Promise<void> {
    await this.#options.work.stop(this.process, this.#options.config.stopWithin);
  }

  #who(): string {
    return this.#options.number === undefined ? 'the service' : `${this.name} of the service`;
  }

  #fault(code: string, cause: string, nextStep: string, place = this.name): Fault {
    const logTail = this.process.logTail();
    return new Fault({ code, kind: 'measurement', place, cause, nextStep, logTail });
  }
}
