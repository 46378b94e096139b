/** Signals every process of the group that `pid` leads. Does nothing if none is left. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // macOS answers EPERM where Linux answers ESRCH: the group has ended.
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
