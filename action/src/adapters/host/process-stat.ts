export interface ProcessStat {
  readonly pid: number;
  readonly name: string;
  /** One letter, such as `R` or `Z`. */
  readonly state: string;
  readonly parent: number;
  readonly session: number;
  /** CPU time of the process and of the children that it waited for. */
  readonly cpuTicks: number;
  /** In the kernel's own unit, exactly as the kernel writes it. */
  readonly startTime: string;
  readonly rssPages: number;
}

/** Parses /proc/PID/stat (man 5 proc_pid_stat). The command is in parentheses and may itself hold any character. */
export function parseStat(text: string): ProcessStat | undefined {
  const close = text.lastIndexOf(')');
  const pid = Number.parseInt(text, 10);
  if (close < 0 || Number.isNaN(pid)) return undefined;
  const fields = text.slice(close + 2).split(' ');
  const field = (number: number) => fields[number - 3] ?? '';
  // utime and stime, and those of the children that the process waited for.
  const ticks = [14, 15, 16, 17].map((number) => Number(field(number)));
  return {
    pid,
    name: text.slice(text.indexOf('(') + 1, close),
    state: field(3),
    parent: Number(field(4)),
    session: Number(field(6)),
    cpuTicks: ticks.reduce((sum, own) => sum + own, 0),
    startTime: field(22),
    rssPages: Number(field(24)),
  };
}
