export { type Job, jobsOf } from './bench/jobs.ts';
export { type BenchInput, type JobResult, openBench, runJob } from './bench/run-job.ts';
export { summarise } from './bench/summary.ts';
export { type BlockRows, type RowFiles, readBlockRows, writeBlockRows } from './data/block-rows.ts';
export type { RecordedRun } from './data/recorded-run.ts';
