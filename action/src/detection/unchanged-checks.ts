import { judgeSuite } from '../check/index.ts';
import type { Measurements } from '../judge/index.ts';
import type { UnchangedChecks } from '../model/calibration.ts';
import { metrics, type RatioMetricName, ratioMetricNames } from '../model/metric.ts';
import { cellName } from '../model/run.ts';
import type { Outcome } from '../model/verdict.ts';
import { createRandom, share, wilson } from '../stats/index.ts';
import type { RecordedRun } from './data/recorded-run.ts';
import {
  comparablePairs,
  fewestHistory,
  planTrials,
  recordedData,
  recordedTrial,
} from './data/recorded-trials.ts';
import { firstMeasurement, type Judging, ownAnswer } from './rules/own.ts';
import { timedCells } from './timed-cells.ts';

/** With fewer checks, 95% of them are all of them. */
const fewestChecks = 20;
/** So many runs show a tolerance that may be written into a configuration. */
export const fewestRunsForTolerances = fewestHistory + fewestChecks;
const z95 = 1.96;
/** A tolerance counts as supported if it is in this share of the checks. */
const supportedShare = 0.95;
/** The widest tolerances that are tried, by the worse direction. Throughput cannot fall by more than 100%, so that is no limit. */
const mostPercent = { higher: 100, lower: 99 } as const;
const when = { createdAt: new Date(0), seconds: 0 };

/** Judges every unchanged run as a check would, and finds the smallest tolerances at which all of it passes. */
export function unchangedChecks(given: readonly RecordedRun[], judgedBy: Judging): UnchangedChecks {
  const { recorded, judging } = timedCells(given, judgedBy);
  const data = recordedData(recorded);
  const trials = planTrials(data, 1, 1, createRandom(1)).map((plan, nth) => {
    // All pairs may confirm, since nothing else is looked at in them here.
    const own = comparablePairs(data, plan.head);
    const again = own[nth % own.length];
    const planned = again === undefined ? plan : { ...plan, again };
    return recordedTrial(data, planned, { rounds: judging.plan.rounds });
  });
  const answers = trials.map((trial) => ownAnswer(trial, judging));
  const rate = (of: (answer: (typeof answers)[number]) => boolean) => {
    const count = { events: answers.filter(of).length, trials: answers.length };
    return { rate: share(count), ...wilson(count, z95) };
  };
  const outcomes: readonly Outcome[] = ['invalid', 'noise', 'undecided'];
  return {
    checks: trials.length,
    red: rate(({ verdict }) => verdict.outcome === 'regression'),
    suspect: rate(({ suspects }) => suspects > 0),
    couldNot: rate(({ verdict }) => outcomes.includes(verdict.outcome)),
    tolerances: ratioMetricNames
      .filter((metric) => metrics[metric].promised)
      .flatMap((metric) => {
        const needed = trials.flatMap(
          (trial) => leastTolerance(metric, firstMeasurement(trial), judging) ?? [],
        );
        const least = needed.toSorted((a, b) => a - b)[Math.ceil(supportedShare * needed.length) - 1];
        if (least === undefined) return [];
        const counted = { metric, checks: needed.length, isSure: needed.length >= fewestChecks };
        const isSupported = least <= mostPercent[metrics[metric].worse];
        return [isSupported ? { ...counted, tolerance: least / 100 } : counted];
      }),
  };
}

/** The least whole percentage with which every cell passes; more than `mostPercent` if none does; undefined if a cell is not judged. */
function leastTolerance(
  metric: RatioMetricName,
  measured: Measurements,
  { config, plan }: Judging,
): number | undefined {
  // Their TPS follow from the rate.
  const atRate = new Set(measured.run.cells.filter(({ arrival }) => arrival !== undefined).map(cellName));
  const outcomesWith = (percent: number) => {
    const tolerances = { ...config.tolerances, [metric]: percent / 100 };
    const { cells } = judgeSuite({ ...config, tolerances }, plan, measured, when);
    return cells
      .filter((cell) => metric !== 'tps' || !atRate.has(cellName(cell)))
      .map(({ metrics: rows }) => rows.find((row) => row.metric === metric)?.outcome);
  };
  const most = mostPercent[metrics[metric].worse];
  let [tooSmall, enough] = [0, most + 1];
  const widest = outcomesWith(most);
  if (widest.length === 0 || widest.includes(undefined)) return undefined;
  while (enough - tooSmall > 1) {
    const middle = Math.floor((tooSmall + enough) / 2);
    if (outcomesWith(middle).every((outcome) => outcome === 'pass')) enough = middle;
    else tooSmall = middle;
  }
  return enough;
}
