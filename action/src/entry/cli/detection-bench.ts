import { availableParallelism, cpus } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { readCode } from '../../adapters/git/index.ts';
import { createSystemClock, readJsonFile } from '../../adapters/host/index.ts';
import {
  disagreements,
  explain,
  type Job,
  type JobResult,
  jobsOf,
  openBench,
  summarise,
} from '../../detection/index.ts';
import { type Detection, detectionSchema } from '../../model/detection.ts';
import { Fault } from '../../model/fault.ts';
import { detectionReport, explanationReport } from '../../report/index.ts';
import { gitIn } from '../checkout-git.ts';
import { detectionFolder } from '../config-folders.ts';
import type { CommandContext } from './command.ts';
import { type DetectionFiles, readDetectionInput } from './detection-input.ts';
import { keepResults } from './keep-results.ts';

export interface DetectionFlags {
  readonly config: string;
  readonly suite: string;
  /** Simulated checks in each world. */
  readonly checks: number;
  /** Keeps the results next to the recorded rows. */
  readonly write?: true;
  /** Fails if rates differ from those that are kept. */
  readonly check?: true;
  /** Name of a rule whose checks are shown one by one. */
  readonly explain?: string;
  readonly scene: string;
}

/** Judges recorded and simulated checks by all rules, and prints how often each rule is wrong. */
export async function benchDetection(
  { config, suite, checks, write, check, explain: rule, scene }: DetectionFlags,
  { settings, terminal, signal }: Pick<CommandContext, 'settings' | 'terminal' | 'signal'>,
): Promise<void> {
  const configPath = resolve(settings.workingDirectory, config);
  const folder = detectionFolder(dirname(configPath));
  const files: DetectionFiles = { configPath, suite, folder };
  const bench = openBench(readDetectionInput(files));
  if (rule !== undefined) return terminal.print(explanationReport(explain(bench, rule, scene)));
  const clock = createSystemClock();
  const from = clock.monotonicMs();
  const jobs = jobsOf(checks);
  const workers = Math.min(jobs.length, availableParallelism());
  const detail = `${jobs.length} jobs in ${workers} threads`;
  terminal.onProgress({ kind: 'phase', phase: 'detection', detail });
  const results = await runJobs(jobs, workers, files, signal, (finished) => {
    if (isNextTenth(finished, jobs.length)) {
      terminal.onProgress({ kind: 'note', text: `${finished} of ${jobs.length} jobs are done` });
    }
  });
  const seconds = (clock.monotonicMs() - from) / 1000;
  terminal.onProgress({ kind: 'phase-done', phase: 'detection', seconds });
  const { commit } = await readCode(gitIn(dirname(configPath), settings.env, signal));
  const found = detectionSchema.parse(
    summarise(bench, results, {
      commit,
      date: clock.now().toISOString().slice(0, 10),
      machine: { cpuModel: cpus()[0]?.model.trim() ?? '', cpuCount: cpus().length },
      seconds: Math.round(seconds),
    }),
  );
  terminal.print(detectionReport(found));
  const kept = join(folder, 'results.json');
  if (check) requireAgreement(found, kept);
  if (write) await keepResults(kept, found);
}

/** Enough to see what they have in common. */
const mostNames = 5;
const countText = (count: number) => (count === 1 ? 'one rate differs' : `${count} rates differ`);

function readKept(file: string): Detection {
  return readJsonFile(file, detectionSchema, {
    code: 'E_BENCH_RESULTS',
    kind: 'usage',
    place: file,
    cause: 'there are no results of this bench to compare with',
    nextStep: 'restore the file from git, or make it with `gate bench detection --write`',
  });
}

function requireAgreement(found: Detection, file: string): void {
  const names = disagreements(found, readKept(file));
  if (names.length === 0) return;
  const shown = names.slice(0, mostNames).join('; ');
  throw new Fault({
    code: 'E_BENCH_STALE',
    kind: 'usage',
    place: file,
    cause: `${countText(names.length)} from what is kept: ${shown}`,
    nextStep:
      'find out which change of the rules did this; to keep the new rates, run `gate bench detection --write`',
  });
}

/** True if the last job to finish completed another tenth of all. */
export function isNextTenth(finished: number, all: number): boolean {
  return Math.floor((10 * finished) / all) > Math.floor((10 * (finished - 1)) / all);
}

/** Hands a job to each thread as soon as it has done the one before. The results are in the order of the jobs. */
async function runJobs(
  jobs: readonly Job[],
  count: number,
  files: DetectionFiles,
  signal: AbortSignal,
  onFinished: (count: number) => void,
): Promise<readonly JobResult[]> {
  const results: JobResult[] = [];
  let finished = 0;
  const waiting = [...jobs.entries()];
  const threads = Array.from(
    { length: count },
    () => new Worker(new URL('./detection-worker.ts', import.meta.url), { workerData: files }),
  );
  const work = (thread: Worker) =>
    new Promise<void>((done, fail) => {
      const next = () => {
        const job = waiting.shift();
        if (job === undefined) return done();
        const [index, what] = job;
        thread.once('message', (result: JobResult) => {
          results[index] = result;
          finished += 1;
          onFinished(finished);
          next();
        });
        thread.postMessage(what);
      };
      thread.once('error', fail);
      signal.addEventListener('abort', () => fail(signal.reason), { once: true });
      next();
    });
  try {
    signal.throwIfAborted();
    await Promise.all(threads.map(work));
    return results;
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()));
  }
}
