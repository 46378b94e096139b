import { z } from 'zod';
import { Fault } from '../../model/fault.ts';
import { type Secrets, untilAborted } from '../host/index.ts';
import { exitText, type ManagedProcess } from './managed-process.ts';
import type { StackWork } from './stack-work.ts';
import { parsedJson, stepErrorSchema, stepFault, stepFields } from './step-message.ts';

/** What the backing command prints, one JSON object per line. */
const lineSchema = z.union([
  z.object({
    ready: z.literal(true),
    env: z.record(z.string(), z.string()).default({}),
    metricsUrl: z.string().optional(),
    /** True if the page's counters leave out what reading the page costs. */
    metricsExcludeScrapes: z.boolean().default(false),
    dataKey: z.string().default(''),
    ...stepFields,
  }),
  z.object({ ready: z.literal(false), error: stepErrorSchema }),
]);
export type BackingReady = Extract<z.output<typeof lineSchema>, { ready: true }>;

/** The command that runs the database and the other services that the measured service needs. */
export class Backing {
  readonly process: ManagedProcess;
  /** Resolves with a Fault once the command has ended. */
  readonly ended: Promise<Fault>;
  readonly #place: string;
  readonly #answer: PromiseWithResolvers<BackingReady>;

  private constructor(process: ManagedProcess, place: string, answer: PromiseWithResolvers<BackingReady>) {
    this.process = process;
    this.#place = place;
    this.#answer = answer;
    this.ended = process.exit.then((exit) =>
      backingFault(
        process,
        place,
        'E_BACKING_DIED',
        `the backing services ended unexpectedly, with ${exitText(exit)}`,
        'read the last lines of their log',
      ),
    );
    void this.ended.then(answer.reject);
  }

  static async start(work: StackWork, command: readonly string[], env: NodeJS.ProcessEnv): Promise<Backing> {
    const place = command.join(' ');
    const answer = Promise.withResolvers<BackingReady>();
    // When a check is cancelled, nothing awaits the answer; that is no unhandled rejection.
    answer.promise.catch(() => undefined);
    const onLine = (line: string) => {
      try {
        answer.resolve(readLine(line, place, work.secrets));
      } catch (error) {
        answer.reject(error);
      }
    };
    const process = await work.start({ role: 'backing services', log: 'backing.log', command, env, onLine });
    return new Backing(process, place, answer);
  }

  /** Waits for the first message. Throws a Fault if it reports a failure or does not come in time. */
  async ready(withinSeconds: number, signal: AbortSignal): Promise<BackingReady> {
    const late = () =>
      backingFault(
        this.process,
        this.#place,
        'E_NOT_READY',
        `the backing services did not become ready within ${withinSeconds} s`,
        'read the last lines of the log; raise `backing.readyWithin` in gate.yml if they only need longer',
      );
    const timer = setTimeout(() => this.#answer.reject(late()), withinSeconds * 1000);
    try {
      return await untilAborted(signal, () => this.#answer.promise);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Throws a Fault if the line reports a failure or is no message. */
function readLine(line: string, place: string, secrets: Secrets): BackingReady {
  const parsed = lineSchema.safeParse(parsedJson(line));
  if (!parsed.success) {
    throw new Fault({
      code: 'E_BACKING_PROTOCOL',
      kind: 'usage',
      place,
      cause: `expected a line {"ready":true,"env":{...}} on standard output, got: ${secrets.masked(line).slice(0, 200)}`,
      nextStep: 'make the command print its progress to standard error',
    });
  }
  if (!parsed.data.ready) throw stepFault(parsed.data.error, 'backing services');
  // Known before anything else is printed: a service that fails logs what it was given.
  secrets.addFrom(parsed.data.env);
  return parsed.data;
}

function backingFault(
  process: ManagedProcess,
  place: string,
  code: string,
  cause: string,
  nextStep: string,
): Fault {
  return new Fault({ code, kind: 'measurement', place, cause, nextStep, logTail: process.logTail() });
}
