import { createSystemClock } from '../adapters/host/index.ts';
import { type InfluxdbTarget, writePoints } from '../adapters/influxdb/index.ts';
import { Fault } from '../model/fault.ts';
import type { Point } from '../model/point.ts';
import type { LoadSeries } from '../model/series.ts';
import { type MeasuredRun, secondsPoints } from '../report/index.ts';
import type { Outputs } from './outputs.ts';

/** Points that wait for a slow server at most; the write after the check adds what was dropped. */
const mostWaiting = 50_000;
/** A server that does not answer within this time while a load runs gets no more until the check has ended. */
const limits = { requestMs: 4_000, wholeMs: 4_000 };

/** Sends seconds while a check runs. */
export interface LiveOutputs {
  /** Returns at once. */
  send(series: LoadSeries, run: MeasuredRun): void;
  /** Waits for what is under way. */
  close(): Promise<void>;
}

/** One request at a time per output. An output that fails is a warning, and gets its points after the check. */
export function openLiveOutputs(
  { gate, targets }: Outputs,
  suite: string,
  warn: (text: string) => void,
  signal: AbortSignal,
): LiveOutputs {
  const senders = targets.map((target) => new Sender(target, warn, signal));
  return {
    send: (series, run) => {
      const points = secondsPoints(series, run, { gate, suite });
      for (const sender of senders) sender.send(points);
    },
    close: async () => {
      await Promise.all(senders.map((sender) => sender.close()));
    },
  };
}

class Sender {
  readonly #target: InfluxdbTarget;
  readonly #warn: (text: string) => void;
  readonly #signal: AbortSignal;
  #waiting: readonly Point[] = [];
  #underWay: Promise<void> | undefined;
  #failed = false;

  constructor(target: InfluxdbTarget, warn: (text: string) => void, signal: AbortSignal) {
    this.#target = target;
    this.#warn = warn;
    this.#signal = signal;
  }

  send(points: readonly Point[]): void {
    if (this.#failed || this.#signal.aborted) return;
    this.#waiting = [...this.#waiting, ...points].slice(-mostWaiting);
    this.#underWay ??= this.#sendWaiting().finally(() => {
      this.#underWay = undefined;
    });
  }

  async close(): Promise<void> {
    await this.#underWay;
  }

  async #sendWaiting(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#failed) {
      const points = this.#waiting;
      this.#waiting = [];
      try {
        await writePoints(this.#target, points, { clock: createSystemClock(), signal: this.#signal, limits });
      } catch (error) {
        this.#failed = true;
        // The check itself reports that it was cancelled.
        if (this.#signal.aborted) return;
        if (!(error instanceof Fault)) throw error;
        this.#warn(`${error.message}. Nothing more is sent to it until the check has ended.`);
      }
    }
  }
}
