export { disagreements } from './bench/agreement.ts';
export { explain } from './bench/explain.ts';
export { type Job, jobsOf } from './bench/jobs.ts';
export { type BenchInput, type JobResult, openBench, runJob } from './bench/run-job.ts';
export { summarise } from './bench/summary.ts';
export { type RowFiles, readBlockRows, writeBlockRows } from './data/block-rows.ts';
export { noiseOfRuns } from './data/noise-of-runs.ts';
export { measuredRegime, type RecordedRun, unchangedRuns } from './data/recorded-run.ts';
export { fewestRunsForTolerances, unchangedChecks } from './unchanged-checks.ts';
