import { parentPort, workerData } from 'node:worker_threads';
import { type Job, openBench, runJob } from '../../detection/index.ts';
import { type DetectionFiles, readDetectionInput } from './detection-input.ts';

/** Runs in a thread of its own for `gate bench detection`: does one job after the other, as they are sent. */
const bench = openBench(readDetectionInput(workerData as DetectionFiles));

parentPort?.on('message', (job: Job) => {
  parentPort?.postMessage(runJob(bench, job));
});
