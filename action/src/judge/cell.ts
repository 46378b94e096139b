import type { Block, Cell, InvalidReason } from '../model/run.ts';
import { geometricMean } from '../model/run-figures.ts';
import type { CellVerdict } from '../model/verdict.ts';
import { mixReasons } from './comparable/mix.ts';
import type { Match, Setup } from './contrast/contrast.ts';
import { countDrift, speedChange } from './contrast/speed-change.ts';
import { costOutcome, judgeCosts, uncountedSignals } from './costs.ts';
import { compareEndpoints } from './endpoints.ts';
import { headFigures } from './figures/cell-figures.ts';
import { compareSignals } from './figures/signals.ts';
import { checkObjectives, missedThresholds, objectiveOutcome } from './objectives.ts';
import type { JudgeOptions, RequiredCell } from './options.ts';
import { mostSerious, unjudged } from './outcome.ts';
import type { MeasuredCell } from './second-measurement.ts';

/**
 * A cell whose figures cannot be trusted, so nothing is concluded from them. The reasons behind that are its own, or
 * those of whatever ended the run before it.
 */
export function invalidCell(
  { scenario, load, vus }: RequiredCell,
  head: Cell | undefined,
  invalid: readonly InvalidReason[],
  behind = invalid,
): CellVerdict {
  return {
    scenario,
    load,
    vus: head?.vus ?? vus,
    ...(head?.arrival !== undefined && { arrival: head.arrival }),
    outcome: unjudged(behind),
    head: headFigures(head?.blocks ?? []),
    metrics: [],
    endpoints: [],
    signals: [],
    uncounted: [],
    objectives: [],
    ...(head?.course && { course: head.course }),
    invalid: [...invalid],
  };
}

/**
 * A cell that was too disturbed to be timed, judged by its counts: other programs do not change what a request needs. They do
 * slow it down, and what the service does once per second is then shared by fewer requests. So a count has to grow per second
 * too.
 */
export function judgeDisturbed(
  cell: CellVerdict,
  { head, base, newest = base.at(-1) }: Omit<Match, 'history'>,
  { signals }: JudgeOptions,
  setup: Setup,
): CellVerdict {
  if (newest === undefined || mixReasons(newest, head).length > 0) return cell;
  const baseRuns = base.map(({ blocks }) => blocks);
  const tpsOf = (blocks: readonly Block[]) => geometricMean(blocks.map(({ tps }) => tps));
  const [before, after] = [tpsOf(baseRuns.flat()), tpsOf(head.blocks)];
  const drift = countDrift(speedChange({ head, base }, setup).forCounts);
  const proved = compareSignals(baseRuns, head.blocks, signals, { newest: newest.blocks, drift }).filter(
    (signal) =>
      signal.failed &&
      (signal.worse === 'lower' || signal.head * after > (signal.base + signal.limit) * before),
  );
  return proved.length === 0 ? cell : { ...cell, outcome: 'regression', signals: proved };
}

/** A trusted cell. With nothing to compare it with, it shows no metrics, and only objectives and thresholds can fail it. */
export function judgeCell(
  required: RequiredCell,
  head: Cell,
  compared: MeasuredCell | undefined,
  options: JudgeOptions,
): CellVerdict {
  const metrics = compared?.metrics ?? [];
  const base = compared?.match.base ?? [];
  const timed = mostSerious(metrics.map((metric) => metric.outcome));
  const newest = compared?.match.newest ?? base.at(-1);
  const moved = newest === undefined ? [] : mixReasons(newest, head);
  // A proved regression stays proved: an endpoint that hangs or fails also changes the mix.
  if (moved.length > 0 && timed !== 'regression') return invalidCell(required, head, moved);
  const baseRuns = base.map(({ blocks }) => blocks);
  const changes = compared === undefined ? [] : judgeCosts(compared, options.signals);
  // Another mix of requests has other costs per request, so they prove nothing then.
  const signals =
    moved.length > 0 ? changes.map(({ evidence, ...change }) => ({ ...change, failed: false })) : changes;
  const uncounted = uncountedSignals(baseRuns, head.blocks, options.signals);
  const figures = headFigures(head.blocks);
  const objectives = [
    ...checkObjectives(required.objectives, figures),
    ...missedThresholds(head.blocks, required.judgesThresholds),
  ];
  return {
    scenario: required.scenario,
    load: required.load,
    vus: head.vus,
    ...(head.arrival !== undefined && { arrival: head.arrival }),
    outcome: mostSerious([timed, costOutcome({ signals, uncounted }), objectiveOutcome({ objectives })]),
    head: figures,
    metrics,
    endpoints: compareEndpoints(baseRuns.flat(), head.blocks),
    signals,
    uncounted,
    objectives,
    ...(head.course && { course: head.course }),
    invalid: [],
  };
}
