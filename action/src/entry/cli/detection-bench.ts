import { availableParallelism, cpus } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { readCode } from '../../adapters/git/index.ts';
import { createSystemClock } from '../../adapters/host/index.ts';
import { type Job, type JobResult, jobsOf, openBench, summarise } from '../../detection/index.ts';
import { detectionSchema } from '../../model/detection.ts';
import { detectionReport } from '../../report/index.ts';
import { gitIn } from '../checkout-git.ts';
import type { CommandContext } from './command.ts';
import { type DetectionFiles, detectionFolder, readDetectionInput } from './detection-input.ts';
import { keepResults } from './keep-results.ts';

export interface DetectionFlags {
  readonly config: string;
  readonly suite: string;
  /** Simulated checks in each world. */
  readonly checks: number;
  /** Keeps the results next to the recorded rows. */
  readonly write?: true;
}

/** Judges recorded and simulated checks by all rules, and prints how often each rule is wrong. */
export async function benchDetection(
  { config, suite, checks, write }: DetectionFlags,
  { settings, terminal, signal }: Pick<CommandContext, 'settings' | 'terminal' | 'signal'>,
): Promise<void> {
  const configPath = resolve(settings.workingDirectory, config);
  const folder = detectionFolder(dirname(configPath));
  const files: DetectionFiles = { configPath, suite, folder };
  const bench = openBench(readDetectionInput(files));
  const clock = createSystemClock();
  const from = clock.monotonicMs();
  const jobs = jobsOf(checks);
  const workers = Math.min(jobs.length, availableParallelism());
  const detail = `${jobs.length} jobs in ${workers} threads`;
  terminal.onProgress({ kind: 'phase', phase: 'detection', detail });
  const results = await runJobs(jobs, workers, files, signal);
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
  if (write) await keepResults(join(folder, 'results.json'), found);
}

/** Hands a job to each thread as soon as it has done the one before. The results are in the order of the jobs. */
async function runJobs(
  jobs: readonly Job[],
  count: number,
  files: DetectionFiles,
  signal: AbortSignal,
): Promise<readonly JobResult[]> {
  const results: JobResult[] = [];
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
