import { existsSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { BootedService, Clock, Profiler } from '../../measure/index.ts';
import { Fault } from '../../model/fault.ts';
import type { StackProfile } from '../../model/profile.ts';
import { sessionMembers } from '../host/index.ts';
import { readProcesses } from '../machine/index.ts';
import { JfrRecording, jfrEvents, jfrSettings, jfrStackDepth } from './jfr-recording.ts';
import { exitText } from './managed-process.ts';
import type { StackWork } from './stack-work.ts';

/** Seconds for one command of the JDK: it waits for the JVM, which waits for a point at which it may stop its threads. */
const toolWithin = 60;
/** Each command of the JDK is a JVM of its own, which these would give an agent or a port that is in use. */
const optionsOfJvms = { JAVA_TOOL_OPTIONS: undefined, JDK_JAVA_OPTIONS: undefined, _JAVA_OPTIONS: undefined };

interface Jvm {
  readonly pid: number;
  /** Folder of its `java`, and of the other programs of its JDK. */
  readonly programs: string;
}

/** The profiler of the JVM among the processes of that session, the one with the most CPU time so far. */
export function jvmProfiler(session: number, work: StackWork): NonNullable<BootedService['profiler']> {
  const [jvm] = sessionMembers(session)
    .flatMap((pid) => jvmOf(pid) ?? [])
    .map((one) => ({ ...one, cpuSeconds: readProcesses([one.pid]).cpuSeconds }))
    .toSorted((a, b) => b.cpuSeconds - a.cpuSeconds);
  if (jvm === undefined) return { unavailable: 'the service runs on no JVM' };
  const missing = ['jcmd', 'jfr'].filter((tool) => !existsSync(join(jvm.programs, tool)));
  return missing.length === 0
    ? new JvmProfiler(jvm, work)
    : { unavailable: `the Java of the service has no ${missing.join(' and no ')}, which a JDK has` };
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

/** Lets the JVM's own flight recorder observe it, through the JDK's `jcmd`. */
class JvmProfiler implements Profiler {
  readonly #jvm: Jvm;
  readonly #work: StackWork;
  readonly #clock: Clock;
  readonly #recording: string;

  constructor(jvm: Jvm, work: StackWork) {
    this.#jvm = jvm;
    this.#work = work;
    this.#clock = work.options.clock;
    this.#recording = join(work.options.workDirectory, 'profile.jfr');
  }

  profile(seconds: number, signal: AbortSignal): Promise<StackProfile> {
    return this.#work.masking(async () => {
      const settings = join(this.#work.options.workDirectory, 'profile.jfc');
      writeFileSync(settings, jfrSettings);
      rmSync(this.#recording, { force: true });
      await this.#jcmd(signal, 'JFR.configure', `stackdepth=${jfrStackDepth}`);
      const begun = await this.#jcmd(signal, 'JFR.start', 'name=perf-gate', `settings="${settings}"`);
      const startedMs = this.#clock.monotonicMs();
      await this.#clock.wait(seconds * 1000, signal);
      const recordedSeconds = (this.#clock.monotonicMs() - startedMs) / 1000;
      const ended = await this.#jcmd(signal, 'JFR.stop', 'name=perf-gate', `filename="${this.#recording}"`);
      // jcmd ends with 0 whatever the JVM answers.
      if (!existsSync(this.#recording)) throw notProfiled('jcmd', [...begun, ...ended].join(' '));
      const recording = new JfrRecording();
      const print = [
        'print',
        '--exact',
        '--events',
        jfrEvents.join(),
        '--stack-depth',
        String(jfrStackDepth),
      ];
      await this.#run(signal, ['jfr', '-J-Duser.language=en', ...print, this.#recording], (line) =>
        recording.line(line),
      );
      rmSync(this.#recording);
      return recording.finish(recordedSeconds);
    });
  }

  async #jcmd(signal: AbortSignal, ...command: readonly string[]): Promise<readonly string[]> {
    const answer: string[] = [];
    await this.#run(signal, ['jcmd', String(this.#jvm.pid), ...command], (line) => answer.push(line));
    return answer;
  }

  async #run(
    signal: AbortSignal,
    [tool = '', ...args]: readonly string[],
    onLine: (line: string) => void,
  ): Promise<void> {
    signal.throwIfAborted();
    const child = await this.#work.start({
      role: tool,
      log: 'profile.log',
      command: [join(this.#jvm.programs, tool), ...args],
      env: { ...this.#work.options.env, ...optionsOfJvms },
      onLine,
    });
    const limited = AbortSignal.any([signal, AbortSignal.timeout(toolWithin * 1000)]);
    const end = () => void child.stop(0);
    limited.addEventListener('abort', end, { once: true });
    const exit = await child.exit;
    limited.removeEventListener('abort', end);
    await this.#work.stop(child, 0);
    signal.throwIfAborted();
    if (exit.code !== 0) throw notProfiled(tool, [exitText(exit), ...child.logTail()].join(': '));
  }
}

function notProfiled(tool: string, answer: string): Fault {
  return new Fault({
    code: 'E_PROFILE',
    kind: 'measurement',
    place: tool,
    cause: `the service could not be profiled: ${answer.slice(0, 400)}`,
    nextStep: 'read profile.log next to the log of the service; the verdict does not need a profile',
  });
}
