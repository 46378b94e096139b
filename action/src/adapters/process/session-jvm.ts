import { existsSync, readlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { BootedService } from '../../measure/index.ts';
import { sessionMembers } from '../host/index.ts';
import { readProcesses } from '../machine/index.ts';
import { JvmProfiler, type JvmTools, notProfiled } from './jvm-profiler.ts';
import { exitText } from './managed-process.ts';
import type { StackWork } from './stack-work.ts';

/** Each command of the JDK is a JVM of its own, which these would give an agent or a port that is in use. */
const optionsOfJvms = { JAVA_TOOL_OPTIONS: undefined, JDK_JAVA_OPTIONS: undefined, _JAVA_OPTIONS: undefined };

interface Jvm {
  readonly pid: number;
  /** Folder of its `java`, and of the other programs of its JDK. */
  readonly programs: string;
}

/** The profiler of the JVM among the processes of that session, the one with the most CPU time so far. */
export function sessionProfiler(session: number, work: StackWork): NonNullable<BootedService['profiler']> {
  const [jvm] = sessionMembers(session)
    .flatMap((pid) => jvmOf(pid) ?? [])
    .map((one) => ({ ...one, cpuSeconds: readProcesses([one.pid]).cpuSeconds }))
    .toSorted((a, b) => b.cpuSeconds - a.cpuSeconds);
  if (jvm === undefined) return { unavailable: 'the service runs on no JVM' };
  const missing = ['jcmd', 'jfr'].filter((tool) => !existsSync(join(jvm.programs, tool)));
  if (missing.length > 0) {
    return { unavailable: `the Java of the service has no ${missing.join(' and no ')}, which a JDK has` };
  }
  const profiler = new JvmProfiler(toolsOf(jvm, work), work.options.clock);
  return {
    profile: (seconds, signal) => work.masking(() => profiler.profile(seconds, signal)),
    liveObjects: (signal) => work.masking(() => profiler.liveObjects(signal)),
    threadDump: (signal) => work.masking(() => profiler.threadDump(signal)),
  };
}

function jvmOf(pid: number): Jvm | undefined {
  try {
    const program = readlinkSync(`/proc/${pid}/exe`);
    return basename(program) === 'java' ? { pid, programs: dirname(program) } : undefined;
  } catch (error) {
    // The process has ended, or belongs to another user.
    if (['ENOENT', 'ESRCH', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

function toolsOf({ pid, programs }: Jvm, work: StackWork): JvmTools {
  return {
    folder: work.options.workDirectory,
    pid: async () => pid,
    run: async (tool, args, onLine, signal) => {
      const child = await work.start({
        role: tool,
        log: 'profile.log',
        command: [join(programs, tool), ...args],
        env: { ...work.options.env, ...optionsOfJvms },
        onLine,
      });
      const end = () => void child.stop(0);
      signal.addEventListener('abort', end, { once: true });
      const exit = await child.exit;
      signal.removeEventListener('abort', end);
      await work.stop(child, 0);
      if (exit.code !== 0) throw notProfiled(tool, [exitText(exit), ...child.logTail()].join(': '));
    },
  };
}
