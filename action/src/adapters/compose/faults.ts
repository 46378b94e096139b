import { Fault } from '../../model/fault.ts';
import type { DockerAnswer, DockerCli } from './cli.ts';
import { type Container, readLog } from './containers.ts';
import { readDataStep } from './data-step.ts';
import type { Endings } from './endings.ts';
import { explainContainer, explainError, failedContainer } from './failure.ts';

/** Lines of a log that go into an error: the cause of a Spring boot failure is about 20 lines from its end. */
const shownLines = 30;

/** Finds out what became of a stack that failed. */
export class ComposeFaults {
  readonly #docker: DockerCli;
  readonly #endings: Endings;

  constructor(docker: DockerCli, endings: Endings) {
    this.#docker = docker;
    this.#endings = endings;
  }

  /** Of a container that failed; what is given beside it was seen when it happened, and may be gone since. */
  async ofContainer(container: Container, phase: 'boot' | 'load'): Promise<Fault> {
    const log = await readLog(this.#docker, container.id, shownLines);
    // What a server prints as JSON is its log.
    const told = this.#endings.mustEnd(container.service) ? readDataStep(log)?.error : undefined;
    if (told !== undefined && !container.outOfMemory) {
      return new Fault({
        code: told.code,
        kind: 'measurement',
        place: `service ${container.service}`,
        cause: told.message,
        nextStep: told.nextStep,
        logTail: told.logTail.length > 0 ? told.logTail : log,
      });
    }
    return new Fault({ ...explainContainer(container, log, phase), logTail: log });
  }

  /** Of `docker compose up` that did not do what it was asked to; undefined if it was ended because of an event. */
  async ofUp(
    answer: DockerAnswer | undefined,
    containers: readonly Container[],
    waitedFor: readonly string[],
    seconds: number,
  ): Promise<Fault> {
    const failed = failedContainer(containers, this.#endings);
    if (failed !== undefined) return this.ofContainer(failed, 'boot');
    if (answer === undefined || answer.timedOut) return this.ofTimeout(containers, waitedFor, seconds);
    const said = answer.stderr.split('\n').filter((line) => line.trim() !== '');
    return new Fault({
      ...(explainError(answer.stderr) ?? {
        code: 'E_STACK_UP',
        kind: 'measurement',
        place: 'docker compose up',
        cause: said.at(-1) ?? `it ended with exit code ${answer.code} and did not say why`,
        nextStep: 'mend what it reports; `docker compose up` by hand says the same',
      }),
      logTail: said.slice(-shownLines),
    });
  }

  /** Of services that were neither ready nor broken when the time was over. */
  async ofTimeout(
    containers: readonly Container[],
    waitedFor: readonly string[],
    seconds: number,
  ): Promise<Fault> {
    const late = waitedFor.filter((service) => !isDone(service, containers, this.#endings));
    const states = late.map((service) => `${service} (${stateOf(service, containers)})`);
    const first = containers.find(({ service }) => service === late[0]);
    return new Fault({
      code: 'E_STACK_TIMEOUT',
      kind: 'measurement',
      place: late.length === 1 ? `service ${late[0]}` : 'docker compose up',
      cause:
        states.length === 0
          ? `it did not return within ${seconds} s, though its services were ready just after`
          : `not ready within ${seconds} s: ${states.join(', ')}`,
      nextStep: 'read the last lines of the log; raise the time in gate.yml if it only needs longer',
      logTail: first === undefined ? [] : await readLog(this.#docker, first.id, shownLines),
    });
  }
}

/**
 * True if the service needs no more waiting for: ended well if it is to end, else healthy, or running if nobody asks,
 * or ended well if it may.
 */
export function isDone(service: string, containers: readonly Container[], endings: Endings): boolean {
  const own = containers.filter((container) => container.service === service);
  return (
    own.length > 0 &&
    own.every(({ id, status, exitCode, health }) =>
      status === 'exited'
        ? exitCode === 0 && endings.mayEnd({ service, container: id })
        : !endings.mustEnd(service) && status === 'running' && (health === undefined || health === 'healthy'),
    )
  );
}

function stateOf(service: string, containers: readonly Container[]): string {
  const container = containers.find((one) => one.service === service);
  if (container === undefined) return 'not started';
  return container.health === undefined ? container.status : `${container.status}, ${container.health}`;
}
