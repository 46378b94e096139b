import { readdirSync, readFileSync } from 'node:fs';
import { type ProcessStat, parseStat } from './process-stat.ts';

function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes(String((error as NodeJS.ErrnoException).code));
}

/** Undefined if the process is gone. */
function statOf(pid: number): ProcessStat | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ESRCH')) return undefined;
    throw error;
  }
}

/** Start time of the process in the kernel's own unit; undefined if the process is gone. */
export function startTimeOf(pid: number): string | undefined {
  return statOf(pid)?.startTime;
}

/** Processes of that session that have not ended. */
export function sessionMembers(session: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const stat = statOf(pid);
      return stat?.session === session && stat.state !== 'Z' && stat.state !== 'X';
    });
}

/** Changes with every boot of the machine; empty if the kernel does not say. */
export function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return '';
    throw error;
  }
}

/** Kills the process, or with a negative number the process group, unless it has already ended. */
export function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}
