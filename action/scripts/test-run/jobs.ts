import type { Counts } from './junit.ts';

/** One step of a test run. */
export interface Job {
  readonly name: string;
  /** Jobs of one lane run one after another. What the front lane prints appears at once, of the back lane at its end. */
  readonly lane: 'front' | 'back';
  /** Earlier jobs of the other lane that must have ended. */
  readonly after?: readonly string[];
  /** Runs while no other job does, because it loads all cores. */
  readonly alone?: boolean;
  run(print: Print, stop: AbortSignal): Promise<Ending>;
}

export type Print = (text: string) => void;

export interface Ending {
  readonly kind: 'ok' | 'skipped' | 'failed';
  /** Tests that the job reports; a job without tests of its own counts as one. */
  readonly counts?: Counts;
  /** Added to the line that says how the job ended. */
  readonly note?: string;
}

/** A job that throws has failed like any other, so that the jobs next to it are stopped. */
function thrown(error: unknown): Ending {
  return { kind: 'failed', note: error instanceof Error ? error.message : String(error) };
}

/** Runs all jobs, and none that has not begun when one fails or `stop` is called; those under way are stopped then. */
export async function runJobs(jobs: readonly Job[], print: Print, stop: AbortController): Promise<Counts> {
  let passed = 0;
  let failed = 0;
  const ends = new Map<string, Promise<void>>();

  const runOne = async (job: Job): Promise<void> => {
    if (stop.signal.aborted) return;
    const output = job.lane === 'front' ? lineByLine(print) : collected(print);
    const began = Date.now();
    output.write(`== ${job.name}\n`);
    const ending = await job.run(output.write, stop.signal).catch(thrown);
    output.end();
    const seconds = Math.round((Date.now() - began) / 1000);
    const note = ending.note === undefined ? '' : `, ${ending.note}`;
    if (stop.signal.aborted) {
      print(`== ${job.name}: stopped after ${seconds} s\n`);
      return;
    }
    passed += ending.counts?.passed ?? 0;
    failed += ending.counts?.failed ?? 0;
    if (ending.kind === 'failed') {
      failed += (ending.counts?.failed ?? 0) > 0 ? 0 : 1;
      print(`== ${job.name}: FAILED${note}, ${seconds} s; the steps after it did not run\n`);
      stop.abort();
    } else {
      print(`== ${job.name}: ${ending.kind}${note}, ${seconds} s\n`);
    }
  };

  jobs.forEach((job, at) => {
    const before = jobs
      .slice(0, at)
      .filter(
        (other) =>
          job.alone || other.alone || other.lane === job.lane || (job.after ?? []).includes(other.name),
      );
    ends.set(
      job.name,
      Promise.all(before.map(({ name }) => ends.get(name))).then(() => runOne(job)),
    );
  });
  await Promise.all(ends.values());
  return { passed, failed };
}

/** Whole lines as they come, so that the output of another job never lands within one. */
function lineByLine(print: Print) {
  let rest = '';
  return {
    write(text: string) {
      const end = (rest + text).lastIndexOf('\n') + 1;
      if (end > 0) print((rest + text).slice(0, end));
      rest = (rest + text).slice(end);
    },
    end() {
      if (rest !== '') print(`${rest}\n`);
    },
  };
}

function collected(print: Print) {
  let all = '';
  return {
    write(text: string) {
      all += text;
    },
    end() {
      print(all === '' || all.endsWith('\n') ? all : `${all}\n`);
    },
  };
}
