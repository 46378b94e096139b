export { type BlockTools, loadOf, type MeasuredBlock } from './block.ts';
export { fewUsers, missingPasses, sampleReasons } from './block-validity.ts';
export { checkedPlan } from './bring-up.ts';
export type { MeasureOptions, Side } from './context.ts';
export { measureSides } from './measure-sides.ts';
export {
  balanced,
  confirming,
  type Plan,
  type PlannedCell,
  partsOf,
  planSuite,
  scenariosOf,
} from './plan.ts';
export type {
  ArrivalLoad,
  BootedService,
  CellFigures,
  Clock,
  LoadEnd,
  LoadGenerator,
  LoadResult,
  LoadSink,
  LoadSpec,
  Machine,
  MachineReading,
  MetricSeries,
  MetricsReader,
  ProcessReading,
  Profiler,
  Progress,
  ProgressListener,
  RunningLoad,
  ScriptUse,
  Stack,
} from './ports.ts';
export { Recorder, type Recording } from './recorder.ts';
export { type AtRest, readAtRest } from './scrape.ts';
export { type SteadyService, withSteadyService } from './steady-service.ts';
export { isLoopback, refuseForeignTarget } from './target.ts';
export { rampShareOfGuard } from './timing.ts';
