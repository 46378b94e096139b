import { Fault } from '../../model/fault.ts';
import { readStepMessage, shownLines, stepFault } from '../process/index.ts';
import { type Container, readLog } from './containers.ts';
import type { DockerCli, DockerResult } from './docker.ts';
import type { Expectations } from './expectations.ts';
import { explainContainer, explainError } from './explain.ts';
import type { ComposeWatch } from './watch.ts';

/** Finds out why a stack failed. */
export class Diagnosis {
  readonly #docker: DockerCli;
  readonly #expectations: Expectations;
  readonly #watch: Pick<ComposeWatch, 'containers'>;

  constructor(docker: DockerCli, expectations: Expectations, watch: Pick<ComposeWatch, 'containers'>) {
    this.#docker = docker;
    this.#expectations = expectations;
    this.#watch = watch;
  }

  async throwIfFailed(containers: readonly Container[]): Promise<void> {
    const failed = this.#expectations.firstFailed(containers);
    if (failed !== undefined) throw await this.ofContainer(failed, 'boot');
  }

  async ofContainer(container: Container, phase: 'boot' | 'load'): Promise<Fault> {
    const { id, service, outOfMemory } = container;
    const log = await readLog(this.#docker, id, shownLines);
    // JSON that a server prints is its log, not a message of a step.
    const error = this.#expectations.mustEnd(service) ? readStepMessage(log)?.error : undefined;
    if (error !== undefined && !outOfMemory) {
      return stepFault(
        { ...error, logTail: error.logTail.length > 0 ? error.logTail : log },
        `service ${service}`,
      );
    }
    return new Fault({ ...explainContainer(container, log, phase), logTail: log });
  }

  /** @param result of `docker compose up`; undefined if it was ended because a container failed */
  async ofUp(result: DockerResult | undefined, services: readonly string[], seconds: number): Promise<Fault> {
    const containers = await this.#watch.containers();
    const failed = this.#expectations.firstFailed(containers);
    if (failed !== undefined) return this.ofContainer(failed, 'boot');
    if (result === undefined || result.timedOut) return this.ofTimeout(containers, services, seconds);
    const lines = result.stderr.split('\n').filter((line) => line.trim() !== '');
    return new Fault({
      ...(explainError(result.stderr) ?? {
        code: 'E_STACK_UP',
        kind: 'measurement',
        place: 'docker compose up',
        cause: lines.at(-1) ?? `the command ended with exit code ${result.code} and gave no reason`,
        nextStep: 'run `docker compose up` by hand and fix what it reports',
      }),
      logTail: lines.slice(-shownLines),
    });
  }

  /** Names the services that were neither ready nor failed in time. */
  async ofTimeout(
    containers: readonly Container[],
    services: readonly string[],
    seconds: number,
  ): Promise<Fault> {
    const late = services.filter((service) => !this.#expectations.isDone(service, containers));
    const states = late.map((service) => `${service} (${stateOf(service, containers)})`);
    const first = containers.find(({ service }) => service === late[0]);
    return new Fault({
      code: 'E_STACK_TIMEOUT',
      kind: 'measurement',
      place: late.length === 1 ? `service ${late[0]}` : 'docker compose up',
      cause:
        states.length === 0
          ? `the command did not return within ${seconds} s, although its services became ready just after`
          : `not ready within ${seconds} s: ${states.join(', ')}`,
      nextStep: 'read the last lines of the log; raise the time in gate.yml if the stack only needs longer',
      logTail: first === undefined ? [] : await readLog(this.#docker, first.id, shownLines),
    });
  }
}

function stateOf(service: string, containers: readonly Container[]): string {
  const container = containers.find((one) => one.service === service);
  if (container === undefined) return 'not started';
  return container.health === undefined ? container.status : `${container.status}, ${container.health}`;
}
