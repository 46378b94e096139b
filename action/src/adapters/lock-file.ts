import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { Fault } from '../model/fault.ts';
import { isRunning, startTimeOf } from './process-table.ts';

export interface Lock {
  release(): void;
}

interface Holder {
  readonly pid: number;
  /** Guards against a pid that was given to another process since. */
  readonly startTime: string;
}

/** One check at a time in a checkout: two would measure each other. */
export function takeLock(path: string): Lock {
  mkdirSync(dirname(path), { recursive: true });
  for (;;) {
    try {
      const file = openSync(path, 'wx');
      const holder: Holder = { pid: process.pid, startTime: startTimeOf(process.pid) ?? '' };
      writeSync(file, JSON.stringify(holder));
      closeSync(file);
      return { release: () => rmSync(path, { force: true }) };
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    const holder = readHolder(path);
    if (holder !== undefined && isRunning(holder.pid, holder.startTime)) {
      throw new Fault({
        code: 'E_BUSY',
        kind: 'measurement',
        place: path,
        cause: `another check is running in this checkout, as process ${holder.pid}`,
        nextStep: 'wait until it is done: two at once would measure each other',
      });
    }
    rmSync(path, { force: true });
  }
}

function readHolder(path: string): Holder | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof value === 'object' && value !== null && 'pid' in value && 'startTime' in value) {
      return { pid: Number(value.pid), startTime: String(value.startTime) };
    }
    return undefined;
  } catch (error) {
    // Released meanwhile, or written by a process that was killed half-way: nobody holds it.
    if (
      error instanceof SyntaxError ||
      (error instanceof Error && 'code' in error && error.code === 'ENOENT')
    )
      return undefined;
    throw error;
  }
}
