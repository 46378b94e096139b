import type { Cell, InvalidReason } from '../model/run.ts';
import type { CellVerdict, MetricVerdict } from '../model/verdict.ts';
import type { CellContrast } from './contrast.ts';
import { compareEndpoints } from './endpoints.ts';
import type { AdjustedCell } from './family.ts';
import { headFigures } from './figures.ts';
import { judgeErrors, judgeTime } from './metric.ts';
import { mixReasons } from './mix.ts';
import { checkObjectives } from './objectives.ts';
import type { JudgeOptions, RequiredCell } from './options.ts';
import { gravest } from './outcome.ts';
import { compareSignals } from './signals.ts';

/** A cell with what it is compared with: the base's cells, and chance's part in the difference. */
export interface ComparedCell {
  readonly base: readonly Cell[];
  readonly contrast: CellContrast;
  readonly adjusted: AdjustedCell;
  /** How many cells the check compares. */
  readonly cells: number;
}

function judgeMetrics(
  { contrast, adjusted, cells }: ComparedCell,
  { vus, blocks }: Cell,
  options: JudgeOptions,
): MetricVerdict[] {
  const { tolerances, floors } = options;
  const { p95, tps, errors } = contrast;
  const size = { cells, blocks: blocks.length };
  const p95Limits = { tolerance: tolerances.p95, floorMs: floors.p95Ms, baseMs: p95.base };
  const tpsLimits = { tolerance: tolerances.tps, floorMs: floors.meanMs, baseMs: (1000 * vus) / tps.base };
  return [
    judgeTime(p95, p95Limits, adjusted.p95, size),
    judgeTime(tps, tpsLimits, adjusted.tps, size),
    judgeErrors(errors, tolerances.errorRate, adjusted.errors, size),
  ];
}

/** A cell whose figures are not to be trusted: nothing is concluded from them. */
export function invalidCell(
  { scenario, load, vus }: RequiredCell,
  head: Cell | undefined,
  invalid: readonly InvalidReason[],
): CellVerdict {
  return {
    scenario,
    load,
    vus: head?.vus ?? vus,
    outcome: 'invalid',
    head: headFigures(head?.blocks ?? []),
    metrics: [],
    endpoints: [],
    signals: [],
    objectives: [],
    invalid: [...invalid],
  };
}

/** A cell that can be trusted; without anything to compare it with it passes, and shows no metrics. */
export function judgeCell(
  required: RequiredCell,
  head: Cell,
  compared: ComparedCell | undefined,
  options: JudgeOptions,
): CellVerdict {
  const metrics = compared === undefined ? [] : judgeMetrics(compared, head, options);
  const outcome = gravest(metrics.map((metric) => metric.outcome));
  const newest = compared?.base.at(-1);
  // What is proved stays so: an endpoint that hangs, or fails, also moves the mix.
  const moved = newest === undefined || outcome === 'regression' ? [] : mixReasons(newest, head);
  if (moved.length > 0) return invalidCell(required, head, moved);
  const baseBlocks = compared?.base.flatMap(({ blocks }) => blocks) ?? [];
  const figures = headFigures(head.blocks);
  return {
    scenario: required.scenario,
    load: required.load,
    vus: head.vus,
    outcome,
    head: figures,
    metrics,
    endpoints: compareEndpoints(baseBlocks, head.blocks),
    signals: compareSignals(baseBlocks, head.blocks, options.signals),
    objectives: checkObjectives(required.objectives, figures),
    invalid: [],
  };
}
