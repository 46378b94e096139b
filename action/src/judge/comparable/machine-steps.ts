import { median } from 'simple-statistics';
import type { SignalConfig } from '../../model/config.ts';
import { type MachinePart, machineParts, type ReadingMachine } from '../../model/metric.ts';
import type { Run } from '../../model/run.ts';
import { meanSlowness, servingParts } from '../contrast/yardstick.ts';
import { type CellsByName, cellsByName } from './validity.ts';

export type Signals = Readonly<Record<string, SignalConfig>>;
export type TimedFamily = 'time' | 'cpu';

/** A run with its cells as they are judged. */
export interface JudgedRun {
  readonly cells: CellsByName;
  readonly machine: ReadingMachine;
}

/** How much longer a request kept each part busy than in another run, as logs; only of parts that had the same work. */
export type Step = Readonly<Partial<Record<MachinePart, Readonly<Record<TimedFamily, number>>>>>;

/** What two runs show about the machine: in each cell, and the median over the cells. */
export interface Steps {
  readonly own: ReadonlyMap<string, Step>;
  readonly common: Step;
}

/** Beyond this difference of logs, the parts contradict each other. */
export const contradiction = 0.2;

export function judgedRun(run: Run): JudgedRun {
  return { cells: cellsByName(run), machine: run.fingerprint };
}

/** What both runs show; positive where the machine was slower in `one`. */
export function stepsBetween(one: JudgedRun, other: JudgedRun, signals: Signals): Steps {
  const own = [...one.cells].flatMap(([name, cell]): [string, Step][] => {
    const before = other.cells.get(name);
    if (before === undefined) return [];
    const steps = servingParts(cell, [before], signals).flatMap((part) => {
      const between = (family: TimedFamily) =>
        meanSlowness(cell, one.machine, part, family) - meanSlowness(before, other.machine, part, family);
      const [time, cpu] = [between('time'), between('cpu')];
      return Number.isFinite(time) && Number.isFinite(cpu) ? [[part, { time, cpu }]] : [];
    });
    return [[name, Object.fromEntries(steps)]];
  });
  const common = machineParts.flatMap((part) => {
    const steps = own.flatMap(([, step]) => step[part] ?? []);
    if (steps.length === 0) return [];
    const middle = (family: TimedFamily) => median(steps.map((step) => step[family]));
    return [[part, { time: middle('time'), cpu: middle('cpu') }]];
  });
  return { own: new Map(own), common: Object.fromEntries(common) };
}
