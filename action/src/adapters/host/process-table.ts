import { readdirSync, readFileSync } from 'node:fs';

/** What /proc/PID/stat says from the state on (field 3, man 5 proc_pid_stat); undefined if there is no such process. */
function statOf(pid: number): readonly string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name before it may hold anything, blanks and brackets included.
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH'))
      return undefined;
    throw error;
  }
}

/** When the process began, in the kernel's own unit (field 22 of /proc/PID/stat); undefined if there is none. */
export function startTimeOf(pid: number): string | undefined {
  return statOf(pid)?.[19];
}

/** True if this very process still runs: a pid alone may have been given to another one since. */
export function isRunning(pid: number, startTime: string): boolean {
  return startTimeOf(pid) === startTime;
}

/** Processes of that session (field 6), without those that have ended and only wait to be asked about. */
export function sessionMembers(session: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const stat = statOf(pid);
      return stat !== undefined && stat[3] === String(session) && stat[0] !== 'Z' && stat[0] !== 'X';
    });
}

/** Differs from one start of the machine to the next; empty where the kernel does not tell. */
export function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
