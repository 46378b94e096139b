import { readdirSync, readFileSync } from 'node:fs';

function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes(String((error as NodeJS.ErrnoException).code));
}

/** Fields of /proc/PID/stat from the state on (field 3, man 5 proc_pid_stat); undefined if the process is gone. */
function statOf(pid: number): readonly string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The process name in field 2 may contain blanks and brackets.
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ESRCH')) return undefined;
    throw error;
  }
}

/** Start time of the process in the kernel's own unit (field 22); undefined if the process is gone. */
export function startTimeOf(pid: number): string | undefined {
  return statOf(pid)?.[19];
}

/** Processes of that session (field 6) that have not ended. */
export function sessionMembers(session: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const stat = statOf(pid);
      return stat !== undefined && stat[3] === String(session) && stat[0] !== 'Z' && stat[0] !== 'X';
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
