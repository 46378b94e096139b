import { z } from 'zod';
import type { DockerCli, FollowedDocker } from './cli.ts';
import { projectLabel } from './containers.ts';

const eventSchema = z.object({
  Action: z.string(),
  timeNano: z.number(),
  Actor: z.object({ ID: z.string(), Attributes: z.record(z.string(), z.string()).default({}) }),
});

/** Something that happened to a container of the project. */
export interface ContainerEvent {
  readonly kind: 'start' | 'end' | 'out-of-memory' | 'health';
  readonly container: string;
  readonly service: string;
  /** Since the epoch. */
  readonly atSeconds: number;
  /** Of `end`. */
  readonly exitCode?: number;
  /** Of `health`. */
  readonly health?: string;
}

/** Reads a line of `docker events --format '{{json .}}'`. Undefined for what is of no interest here. */
export function parseEvent(line: string): ContainerEvent | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    // Cut off because the engine went away; its absence is found otherwise.
    return undefined;
  }
  const parsed = eventSchema.safeParse(value);
  if (!parsed.success) return undefined;
  const { Action: action, timeNano, Actor: actor } = parsed.data;
  const common = {
    container: actor.ID,
    service: actor.Attributes['com.docker.compose.service'] ?? '',
    atSeconds: timeNano / 1e9,
  };
  if (action === 'start') return { kind: 'start', ...common };
  if (action === 'die') return { kind: 'end', ...common, exitCode: Number(actor.Attributes.exitCode ?? -1) };
  if (action === 'oom') return { kind: 'out-of-memory', ...common };
  const health = /^health_status: (\w+)$/.exec(action)?.[1];
  return health === undefined ? undefined : { kind: 'health', ...common, health };
}

/** A stream that broke is taken up again this often without telling anything; then the engine is taken to be gone. */
const mostRestarts = 5;
/** Before it is taken up again: an engine that restarts refuses at once. */
const restartAfterMs = 500;

/** Tells what happens to the containers of a project, from the moment it was made until it is closed. */
export class ContainerEvents {
  readonly #docker: DockerCli;
  readonly #project: string;
  readonly #onEvent: (event: ContainerEvent) => void;
  readonly #onLost: (said: string) => void;
  #stream: FollowedDocker | undefined;
  /** Where to take up a stream that broke, seconds since the epoch. */
  #since: number;
  #restarts = 0;
  #restart: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(
    docker: DockerCli,
    project: string,
    nowMs: number,
    listeners: { onEvent: (event: ContainerEvent) => void; onLost: (said: string) => void },
  ) {
    this.#docker = docker;
    this.#project = project;
    this.#onEvent = listeners.onEvent;
    this.#onLost = listeners.onLost;
    this.#since = nowMs / 1000;
    this.#open();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#restart);
    this.#stream?.stop();
  }

  #open(): void {
    const wanted = ['start', 'die', 'oom', 'health_status'];
    this.#stream = this.#docker.follow(
      [
        'events',
        // The stream may take a while to stand: what happened meanwhile is told as well.
        `--since=${this.#since.toFixed(9)}`,
        '--format={{json .}}',
        `--filter=label=${projectLabel}=${this.#project}`,
        '--filter=type=container',
        ...wanted.map((event) => `--filter=event=${event}`),
      ],
      'docker events',
      (line) => {
        const event = parseEvent(line);
        if (event === undefined) return;
        this.#restarts = 0;
        this.#since = Math.max(this.#since, event.atSeconds + 1e-6);
        this.#onEvent(event);
      },
    );
    void this.#stream.ended.then((said) => {
      if (this.#closed) return;
      this.#restarts += 1;
      if (this.#restarts > mostRestarts) this.#onLost(said);
      else this.#restart = setTimeout(() => this.#open(), restartAfterMs);
    });
  }
}
