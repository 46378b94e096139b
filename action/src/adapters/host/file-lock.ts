import { mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../../model/fault.ts';
import { isRunning, startTimeOf } from './process-table.ts';

/** Who has the lock. */
export interface LockHolder {
  readonly pid: number;
  /** When the process began, as the kernel counts: guards against a pid that was given to another one since. */
  readonly startTime: string;
  readonly host: string;
  /** ISO 8601. */
  readonly since: string;
}

/** What to say when somebody else keeps the lock; the holder is unknown while it writes its name. */
export type BusyFault = (holder: LockHolder | undefined) => Fault;

/** Writing one's name takes a moment; a lock without one that is older was left by a process that was killed. */
const namelessMs = 5_000;

async function readHolder(path: string): Promise<LockHolder | undefined> {
  try {
    const holder: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (typeof holder !== 'object' || holder === null) return undefined;
    const { pid, startTime, host, since } = holder as Partial<Record<keyof LockHolder, unknown>>;
    if (typeof pid !== 'number' || !Number.isInteger(pid) || pid < 1) return undefined;
    return { pid, startTime: String(startTime), host: String(host), since: String(since) };
  } catch {
    return undefined;
  }
}

/** True if the holder certainly no longer runs; a process of another host cannot be asked. */
async function isAbandoned(path: string): Promise<boolean> {
  const holder = await readHolder(path);
  if (holder !== undefined) return holder.host === hostname() && !isRunning(holder.pid, holder.startTime);
  const age = await stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  );
  return age > namelessMs;
}

async function tryCreate(path: string): Promise<boolean> {
  try {
    const handle = await open(path, 'wx');
    try {
      const holder: LockHolder = {
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
 * of two processes that both saw the old holder, the slower would else remove the quicker one's new lock. A guard that
 * is itself left by a process that was killed goes the same way.
 */
export async function removeIfAbandoned(path: string): Promise<void> {
  if (!(await isAbandoned(path))) return;
  const guard = `${path}.removal`;
  if (!(await tryCreate(guard))) {
    await removeIfAbandoned(guard);
    if (!(await tryCreate(guard))) return;
  }
  try {
    if (await isAbandoned(path)) await rm(path, { force: true });
  } finally {
    await rm(guard, { force: true });
  }
}

/** Takes the lock file. Waits at most `waitMs` for another holder. Answers with what gives the lock back. */
export async function takeLock(path: string, waitMs: number, busy: BusyFault): Promise<() => Promise<void>> {
  await mkdir(dirname(path), { recursive: true });
  const deadline = performance.now() + waitMs;
  while (!(await tryCreate(path))) {
    await removeIfAbandoned(path);
    if (await tryCreate(path)) break;
    if (performance.now() > deadline) throw busy(await readHolder(path));
    // Unequal pauses keep waiting processes from meeting again and again.
    await sleep(10 + Math.random() * 40);
  }
  return () => rm(path, { force: true });
}
