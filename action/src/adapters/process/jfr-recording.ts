import { mostStacks, type StackProfile, type Stacks } from '../../model/profile.ts';

/** A sample of CPU time (JDK 25, Linux) also sees native code, and says how much CPU it stands for. */
const cpuTimeSample = 'jdk.CPUTimeSample';
const executionSample = 'jdk.ExecutionSample';
const waits: readonly string[] = ['jdk.JavaMonitorEnter', 'jdk.JavaMonitorWait', 'jdk.ThreadPark'];

export const jfrEvents: readonly string[] = [cpuTimeSample, executionSample, ...waits];
/** Frames per stack: a request of a Spring service has about 100. */
export const jfrStackDepth = 128;

/**
 * What to record, as arguments of JFR.start. A JVM ignores events that it does not know. Shorter waits are many, and explain
 * no slow request.
 */
export const jfrSettings: readonly string[] = [
  'settings=none',
  ...settingsOf(cpuTimeSample, { throttle: '10ms' }),
  ...settingsOf(executionSample, { period: '10ms' }),
  ...waits.flatMap((event) => settingsOf(event, { stackTrace: 'true', threshold: '1ms' })),
];

function settingsOf(event: string, settings: Readonly<Record<string, string>>): readonly string[] {
  // With a plus, because the settings that it changes have no such event.
  return Object.entries({ enabled: 'true', ...settings }).map(
    ([name, value]) => `+${event}#${name}=${value}`,
  );
}

interface Stack {
  readonly frames: readonly number[];
  weight: number;
  count: number;
}

/** Adds up stacks of one kind. */
class StackSums {
  readonly #stacks = new Map<string, Stack>();

  /** @param frames numbers of the frames, outermost first */
  add(frames: readonly number[], weight: number): void {
    const key = frames.join();
    const known = this.#stacks.get(key);
    if (known === undefined) {
      this.#stacks.set(key, { frames, weight, count: 1 });
    } else {
      known.weight += weight;
      known.count += 1;
    }
  }

  get isEmpty(): boolean {
    return this.#stacks.size === 0;
  }

  finish(numberOf: (frame: number) => number): Stacks {
    const all = [...this.#stacks.values()];
    return {
      total: all.reduce((sum, { weight }) => sum + weight, 0),
      stacks: all
        .toSorted((a, b) => b.weight - a.weight)
        .slice(0, mostStacks)
        .map((stack) => ({ ...stack, frames: stack.frames.map(numberOf) })),
    };
  }
}

/**
 * Reads the lines of `jfr print --exact`. As text a recording has a tenth of its size as JSON, and its lines are read one
 * by one, so that it is never in memory as a whole.
 */
export class JfrRecording {
  readonly #numbers = new Map<string, number>();
  readonly #cpuTime = new StackSums();
  readonly #execution = new StackSums();
  readonly #locks = new StackSums();
  #event = '';
  #durationMs = 0;
  /** Innermost first. */
  #frames: number[] = [];

  line(line: string): void {
    const event = /^(jdk\.\w+) \{$/.exec(line)?.[1];
    if (event !== undefined) {
      this.#event = event;
      this.#durationMs = 0;
      this.#frames = [];
    } else if (line === '}') {
      this.#closeEvent();
    } else if (line.startsWith('    ')) {
      const method = /^ {4}([^\s(]+)\(/.exec(line)?.[1];
      if (method !== undefined) this.#frames.push(this.#numberOf(frameName(method)));
    } else {
      const seconds = /^ {2}duration = ([\d.]+) s$/.exec(line)?.[1];
      if (seconds !== undefined) this.#durationMs = 1000 * Number(seconds);
    }
  }

  /** @param seconds length of the recording */
  finish(seconds: number): StackProfile {
    const sampledBy = this.#cpuTime.isEmpty ? 'execution' : 'cpu-time';
    const names = [...this.#numbers.keys()];
    const kept = new Map<number, number>();
    const numberOf = (frame: number) => {
      const known = kept.get(frame) ?? kept.size;
      kept.set(frame, known);
      return known;
    };
    const cpu = (sampledBy === 'cpu-time' ? this.#cpuTime : this.#execution).finish(numberOf);
    const locks = this.#locks.finish(numberOf);
    const frames = [...kept.keys()].map((frame) => names[frame] ?? '');
    return { seconds, sampledBy, frames, cpu, locks };
  }

  #closeEvent(): void {
    // Without a stack nobody knows which code it was.
    if (this.#frames.length === 0) return;
    const frames = this.#frames.toReversed();
    if (this.#event === cpuTimeSample) this.#cpuTime.add(frames, 1);
    else if (this.#event === executionSample) this.#execution.add(frames, 1);
    else if (this.#durationMs > 0) this.#locks.add(frames, this.#durationMs);
    this.#frames = [];
  }

  #numberOf(name: string): number {
    const known = this.#numbers.get(name) ?? this.#numbers.size;
    this.#numbers.set(name, known);
    return known;
  }
}

/**
 * The name of a method without what differs from one build or boot to the next: addresses of hidden classes, and numbers of
 * generated classes. The body of a lambda is code of the method that holds it.
 */
export function frameName(method: string): string {
  return method
    .replace(/[/+]0x[0-9a-f]+/g, '')
    .replace(/\.lambda\$(\w+)\$\d+$/, '.$1')
    .replace(/\$\$(?:Lambda|SpringCGLIB|EnhancerBySpringCGLIB|FastClass\w*)\b(?:\$+\w+)?/g, '')
    .replace(/\$(Proxy|LambdaForm)\d+/g, '$$$1')
    .replace(/(Accessor)\d+(?=\.)/, '$1')
    .replace(/\$\d+(?=[.$])/g, '');
}
