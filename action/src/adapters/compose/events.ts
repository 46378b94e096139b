import { z } from 'zod';
import { parsedJson } from '../process/index.ts';
import { projectLabel, serviceLabel } from './containers.ts';
import type { DockerCli, FollowedCommand } from './docker.ts';

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
  /** Only with `end`. */
  readonly exitCode?: number;
  /** Only with `health`. */
  readonly health?: string;
}

/** Parses a line of `docker events --format '{{json .}}'`. Undefined for other events and for a line that was cut off. */
export function parseEvent(line: string): ContainerEvent | undefined {
  const parsed = eventSchema.safeParse(parsedJson(line));
  if (!parsed.success) return undefined;
  const { Action: action, timeNano, Actor: actor } = parsed.data;
  const common = {
    container: actor.ID,
    service: actor.Attributes[serviceLabel] ?? '',
    atSeconds: timeNano / 1e9,
  };
  if (action === 'start') return { kind: 'start', ...common };
  if (action === 'die') return { kind: 'end', ...common, exitCode: Number(actor.Attributes.exitCode ?? -1) };
  if (action === 'oom') return { kind: 'out-of-memory', ...common };
  const health = /^health_status: (\w+)$/.exec(action)?.[1];
  return health === undefined ? undefined : { kind: 'health', ...common, health };
}

/** A stream that broke is reopened this often without an event in between; after that the engine counts as gone. */
const maxRestarts = 5;
/** An engine that restarts refuses connections at first. */
const restartAfterMs = 500;

interface EventListeners {
  readonly onEvent: (event: ContainerEvent) => void;
  /** The engine is gone; `stderr` is what the last command printed. */
  readonly onLost: (stderr: string) => void;
}

/** Reports the events of a project's containers from its creation until it is closed. */
export class ContainerEvents {
  readonly #docker: DockerCli;
  readonly #project: string;
  readonly #listeners: EventListeners;
  #stream: FollowedCommand | undefined;
  /** Where to resume a stream that broke, in seconds since the epoch. */
  #since: number;
  #restarts = 0;
  #restart: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(docker: DockerCli, project: string, nowMs: number, listeners: EventListeners) {
    this.#docker = docker;
    this.#project = project;
    this.#listeners = listeners;
    this.#since = nowMs / 1000;
    this.#open();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#restart);
    this.#stream?.stop();
  }

  #open(): void {
    this.#stream = this.#docker.follow(
      [
        'events',
        // The stream takes a while to open; this also reports what happened meanwhile.
        `--since=${this.#since.toFixed(9)}`,
        '--format={{json .}}',
        `--filter=label=${projectLabel}=${this.#project}`,
        '--filter=type=container',
        ...['start', 'die', 'oom', 'health_status'].map((event) => `--filter=event=${event}`),
      ],
      'docker events',
      (line) => {
        const event = parseEvent(line);
        if (event === undefined) return;
        this.#restarts = 0;
        this.#since = Math.max(this.#since, event.atSeconds + 1e-6);
        this.#listeners.onEvent(event);
      },
    );
    void this.#stream.ended.then((stderr) => {
      if (this.#closed) return;
      this.#restarts += 1;
      if (this.#restarts > maxRestarts) this.#listeners.onLost(stderr);
      else this.#restart = setTimeout(() => this.#open(), restartAfterMs);
    });
  }
}
