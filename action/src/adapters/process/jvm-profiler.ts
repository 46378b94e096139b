import type { Clock, Profiler } from '../../measure/index.ts';
import { Fault } from '../../model/fault.ts';
import type { StackProfile } from '../../model/profile.ts';
import type { ClassCount } from '../../model/soak.ts';
import { JfrRecording, jfrEvents, jfrSettings, jfrStackDepth } from './jfr-recording.ts';

/** Seconds for one command of the JDK: it waits for the JVM, which waits for a point at which it may stop its threads. */
const toolWithin = 60;

/** A JVM, and the programs of its JDK. */
export interface JvmTools {
  /** Absolute path of a folder to which the JVM may write. */
  readonly folder: string;
  /** Number of the JVM's process, as its own tools know it. */
  pid(signal: AbortSignal): Promise<number>;
  /** Runs `jcmd` or `jfr` until it ends or the signal aborts. Throws the Fault of `notProfiled` if it fails. */
  run(
    tool: string,
    args: readonly string[],
    onLine: (line: string) => void,
    signal: AbortSignal,
  ): Promise<void>;
}

/** Lets the JVM's own flight recorder observe it, through the JDK's `jcmd`. */
export class JvmProfiler implements Profiler {
  readonly #tools: JvmTools;
  readonly #clock: Clock;
  #recordings = 0;

  constructor(tools: JvmTools, clock: Clock) {
    this.#tools = tools;
    this.#clock = clock;
  }

  async profile(seconds: number, signal: AbortSignal): Promise<StackProfile> {
    const pid = String(await this.#tools.pid(signal));
    this.#recordings += 1;
    const path = `${this.#tools.folder}/profile-${this.#recordings}.jfr`;
    await this.#lines('jcmd', [pid, 'JFR.configure', `stackdepth=${jfrStackDepth}`], signal);
    const begun = await this.#lines('jcmd', [pid, 'JFR.start', 'name=perf-gate', ...jfrSettings], signal);
    const startedMs = this.#clock.monotonicMs();
    await this.#clock.wait(seconds * 1000, signal);
    const recordedSeconds = (this.#clock.monotonicMs() - startedMs) / 1000;
    const stop = [pid, 'JFR.stop', 'name=perf-gate', `filename="${path}"`];
    const ended = await this.#lines('jcmd', stop, signal);
    // jcmd ends with 0 whatever the JVM answers.
    if (!ended.some((line) => line.includes('written to'))) {
      throw notProfiled('jcmd', [...begun, ...ended].join(' '));
    }
    const recording = new JfrRecording();
    const print = ['print', '--exact', '--events', jfrEvents.join(), '--stack-depth', String(jfrStackDepth)];
    await this.#run('jfr', ['-J-Duser.language=en', ...print, path], (line) => recording.line(line), signal);
    return recording.finish(recordedSeconds);
  }

  async liveObjects(signal: AbortSignal): Promise<readonly ClassCount[]> {
    const pid = String(await this.#tools.pid(signal));
    return classCounts(await this.#lines('jcmd', [pid, 'GC.class_histogram'], signal));
  }

  async threadDump(signal: AbortSignal): Promise<string> {
    const pid = String(await this.#tools.pid(signal));
    return (await this.#lines('jcmd', [pid, 'Thread.print'], signal)).join('\n');
  }

  async #lines(tool: string, args: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
    const lines: string[] = [];
    await this.#run(tool, args, (line) => lines.push(line), signal);
    return lines;
  }

  async #run(
    tool: string,
    args: readonly string[],
    onLine: (line: string) => void,
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted();
    const limited = AbortSignal.any([signal, AbortSignal.timeout(toolWithin * 1000)]);
    await this.#tools.run(tool, args, onLine, limited);
    signal.throwIfAborted();
  }
}

/** Rows such as `   1:         41206        2967160  [B (java.base@25.0.3)`. */
export function classCounts(lines: readonly string[]): readonly ClassCount[] {
  return lines.flatMap((line) => {
    const [, instances, bytes, name] = /^\s*\d+:\s+(\d+)\s+(\d+)\s+(\S+)/.exec(line) ?? [];
    return name === undefined ? [] : [{ name, instances: Number(instances), bytes: Number(bytes) }];
  });
}

export function notProfiled(tool: string, answer: string): Fault {
  return new Fault({
    code: 'E_PROFILE',
    kind: 'measurement',
    place: tool,
    cause: `the service could not be profiled: ${answer.slice(0, 400)}`,
    nextStep: 'nothing: the verdict does not need a profile',
  });
}
