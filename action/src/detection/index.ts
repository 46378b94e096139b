export { type Job, jobsOf } from './bench/jobs.ts';
export { type BenchInput, type JobResult, openBench, runJob } from './bench/run-job.ts';
export { summarise } from './bench/summary.ts';
export { type RowFiles, readBlockRows, writeBlockRows } from './data/block-rows.ts';
export { noiseOfRuns } from './data/noise-of-runs.ts';
export { type RecordedRun, type Regime, regimes, unchangedRuns } from './data/recorded-run.ts';
export { fewestRunsForTolerances, unchangedChecks } from './unchanged-checks.ts';
