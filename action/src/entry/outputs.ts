import { createSystemClock } from '../adapters/host/index.ts';
import {
  type InfluxdbTarget,
  openInfluxdb,
  secretVariables,
  writePoints,
} from '../adapters/influxdb/index.ts';
import type { OutputConfig } from '../model/config.ts';
import { Fault } from '../model/fault.ts';
import type { CheckRecord } from '../model/record.ts';
import { recordPoints } from '../report/index.ts';
import type { Settings } from './settings.ts';

/** Where the figures of a check go. */
export interface Outputs {
  /** The service's name in gate.yml. */
  readonly gate: string;
  readonly targets: readonly InfluxdbTarget[];
}

export interface OpenedOutputs {
  readonly targets: readonly InfluxdbTarget[];
  /** Which outputs are off, and why. */
  readonly notes: readonly string[];
}

/** Reads what the outputs take from the environment. Throws a Fault before anything is measured if it lacks. */
export function openOutputs(outputs: readonly OutputConfig[], env: Settings['env']): OpenedOutputs {
  const opened = outputs.map(({ influxdb }, index) => {
    const place = `outputs[${index}].influxdb`;
    return { place, target: openInfluxdb(influxdb, env, `${place}.`) };
  });
  return {
    targets: opened.flatMap(({ target }) => ('empty' in target ? [] : [target])),
    notes: opened.flatMap(({ place, target }) =>
      'empty' in target ? [`${place} is off, because ${target.empty} is empty`] : [],
    ),
  };
}

/** The variables that the outputs read from the environment. */
export function outputVariables(outputs: readonly OutputConfig[]): readonly string[] {
  return [...JSON.stringify(outputs).matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name);
}

/** The environment for everything that is started: without the secrets of the outputs. */
export function withoutOutputSecrets(
  env: Settings['env'],
  outputs: readonly OutputConfig[],
): Settings['env'] {
  const secret = new Set(outputs.flatMap(({ influxdb }) => secretVariables(influxdb)));
  return Object.fromEntries(Object.entries(env).filter(([name]) => !secret.has(name)));
}

interface Listener {
  note(text: string): void;
  warn(text: string): void;
}

/** Writes the record to every output. One that fails is a warning and never changes the verdict. */
export async function writeOutputs(
  { gate, targets }: Outputs,
  record: CheckRecord,
  { note, warn }: Listener,
  signal: AbortSignal,
): Promise<void> {
  if (targets.length === 0) return;
  const points = recordPoints(record, gate);
  for (const target of targets) {
    try {
      await writePoints(target, points, { clock: createSystemClock(), signal });
      note(`wrote ${points.length} points to ${target.place}`);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      const { message, details } = error;
      warn(`${message}. Next: ${details.nextStep}`);
    }
  }
}
