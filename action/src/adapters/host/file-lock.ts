import { mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Fault } from '../../model/fault.ts';
import { startTimeOf } from './process-table.ts';

const holderSchema = z.object({
  pid: z.int().positive(),
  /** Start time of the process, as the kernel counts: the kernel may have reused the pid since. */
  startTime: z.string(),
  host: z.string(),
  /** ISO 8601. */
  since: z.string(),
});
export type LockHolder = z.infer<typeof holderSchema>;

/** Makes the fault for a lock that is held. The holder is unknown until it has written its name. */
type BusyFault = (holder: LockHolder | undefined) => Fault;

/** Writing the name takes a moment. An older lock without a name is from a process that was killed. */
const namelessMs = 5_000;

async function readHolder(path: string): Promise<LockHolder | undefined> {
  try {
    return holderSchema.safeParse(JSON.parse(await readFile(path, 'utf8'))).data;
  } catch {
    return undefined;
  }
}

/** True if the holder certainly no longer runs. Processes of another host cannot be checked. */
async function isAbandoned(path: string): Promise<boolean> {
  const holder = await readHolder(path);
  if (holder !== undefined) {
    return holder.host === hostname() && startTimeOf(holder.pid) !== holder.startTime;
  }
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
 * Removes a lock whose holder is gone. Two processes may both see the old holder, and the slower one could then remove
 * the new lock of the quicker one. A second lock therefore guards the removal, which checks again under that guard. A
 * guard whose own holder was killed is removed in the same way.
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

/** Takes the lock file, and waits at most `waitMs` for another holder. Returns the function that releases it. */
export async function takeLock(path: string, waitMs: number, busy: BusyFault): Promise<() => Promise<void>> {
  await mkdir(dirname(path), { recursive: true });
  const deadline = performance.now() + waitMs;
  while (!(await tryCreate(path))) {
    await removeIfAbandoned(path);
    if (await tryCreate(path)) break;
    if (performance.now() > deadline) throw busy(await readHolder(path));
    // Random pauses keep waiting processes from colliding again and again.
    await sleep(10 + Math.random() * 40);
  }
  return () => rm(path, { force: true });
}
