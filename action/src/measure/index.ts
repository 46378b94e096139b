export type { BlockTools } from './block.ts';
export type { MeasureOptions, Side } from './context.ts';
export { measureSides } from './measure-sides.ts';
export { balanced, confirming, type Plan, planSuite, scriptsOf } from './plan.ts';
export {
  type ArrivalLoad,
  type BootedService,
  type Clock,
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
  type RunningLoad,
  type Stack,
} from './ports.ts';
export { Recorder } from './recorder.ts';
export { refuseForeignTarget } from './target.ts';
