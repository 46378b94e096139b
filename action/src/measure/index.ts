export type { BlockTools } from './block.ts';
export { mayBecomeBaseline } from './may-become-baseline.ts';
export { mayWriteBaseline } from './may-write-baseline.ts';
export { type MeasureOptions, measureSides, type Side } from './measure-sides.ts';
export { balanced, onlyCells, type Plan, planSuite, scriptsOf } from './plan.ts';
export {
  type Attribution,
  type BaselineStore,
  type BootedService,
  type Clock,
  type CodeHost,
  type CommentRequest,
  type CommentResult,
  cutOffEndpoint,
  type LoadEnd,
  type LoadGenerator,
  type LoadResult,
  type LoadSink,
  type LoadSpec,
  type Machine,
  type MachineReading,
  type MetricSeries,
  type MetricsReader,
  type ProcessReading,
  type Progress,
  type ProgressListener,
  type PullRequest,
  type PullRequestRun,
  type ReportArtifact,
  type RunningLoad,
  type Stack,
} from './ports.ts';
export { Recorder } from './recorder.ts';
export { refuseForeignTarget } from './target.ts';
