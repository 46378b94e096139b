import { open, readFile, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../model/fault.ts';
import { startTimeOf } from './process-table.ts';

interface Holder {
  readonly pid: number;
  /** Guards against a pid that was given to another process since; empty where the system does not tell. */
  readonly startTime: string;
  readonly host: string;
  readonly since: string;
}

async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    const holder: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (typeof holder !== 'object' || holder === null) return undefined;
    const { pid, startTime, host, since } = holder as Partial<Record<keyof Holder, unknown>>;
    if (typeof pid !== 'number' || !Number.isInteger(pid) || pid < 1) return undefined;
    return { pid, startTime: String(startTime), host: String(host), since: String(since) };
  } catch {
    return undefined;
  }
}

/** True if the holder certainly no longer runs; a process of another host cannot be asked. */
function isGone({ pid, startTime, host }: Holder): boolean {
  if (host !== hostname()) return false;
  try {
    process.kill(pid, 0);
    return startTime !== '' && startTimeOf(pid) !== startTime;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

async function tryCreate(path: string): Promise<boolean> {
  try {
    const handle = await open(path, 'wx');
    try {
      const holder: Holder = {
        pid: process.pid,
        startTime: startTimeOf(process.pid) ?? '',
        host: hostname(),
        since: new Date().toISOString(),
      };
      await handle.writeFile(JSON.stringify(holder));
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    } finally {
      await handle.close();
    }
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Removes a lock whose holder is gone. The removal is itself guarded by a lock, and looks again once it holds that:
 * of two processes that both saw the old holder, the slower would else remove the quicker one's new lock.
 */
async function removeIfGone(path: string): Promise<void> {
  const seen = await readHolder(path);
  if (seen === undefined || !isGone(seen)) return;
  const guard = `${path}.removal`;
  if (!(await tryCreate(guard))) return;
  try {
    const holder = await readHolder(path);
    if (holder !== undefined && isGone(holder)) await rm(path, { force: true });
  } finally {
    await rm(guard, { force: true });
  }
}

/** Runs the work while holding the lock file. Waits at most `waitMs` for another holder, then throws a Fault. */
export async function withLock<T>(path: string, waitMs: number, work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + waitMs;
  while (!(await tryCreate(path))) {
    await removeIfGone(path);
    if (performance.now() > deadline) {
      const holder = await readHolder(path);
      throw new Fault({
        code: 'E_BASELINE_LOCKED',
        kind: 'measurement',
        place: path,
        cause:
          holder === undefined
            ? 'another check is writing, or was stopped while it began to'
            : `process ${holder.pid} on ${holder.host} has been writing since ${holder.since}`,
        nextStep: 'wait for it to end; if it no longer runs, delete this file',
      });
    }
    // Unequal pauses keep waiting processes from meeting again and again.
    await sleep(10 + Math.random() * 40);
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}
