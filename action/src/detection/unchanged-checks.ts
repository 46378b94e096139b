import { judgeSuite } from '../check/index.ts';
import type { Measurements } from '../judge/index.ts';
import type { UnchangedChecks } from '../model/calibration.ts';
import { metrics, type RatioMetricName, ratioMetricNames } from '../model/metric.ts';
import { wilson } from '../stats/index.ts';
import type { RecordedRun } from './data/recorded-run.ts';
import { mostHistory, recordedData, recordedTrial } from './data/recorded-trials.ts';
import { type Judging, ownAnswer } from './rules/own.ts';

/** With fewer stored runs a check depends on what is expected of machines in general. */
const fewestStored = 3;
const z95 = 1.96;
/** A tolerance counts as supported if it is in this share of the checks. */
const supportedShare = 0.95;
const mostPercent = 100;
const when = { createdAt: new Date(0), seconds: 0 };

/** Judges every unchanged run against up to ten runs before it, as a check would, and asks which tolerances would have done. */
export function unchangedChecks(recorded: readonly RecordedRun[], judging: Judging): UnchangedChecks {
  const data = recordedData(recorded);
  const positions = [...data.runs.keys()];
  const trials = positions.slice(fewestStored).map((head) => {
    const history = positions.slice(Math.max(0, head - mostHistory), head);
    return recordedTrial(data, { split: 0, half: 0, head, history, cell: 0, seed: head });
  });
  const answers = trials.map((trial) => ownAnswer(trial, judging));
  const rate = (events: number) => ({
    rate: events / trials.length,
    ...wilson({ events, trials: trials.length }, z95),
  });
  return {
    checks: trials.length,
    red: rate(answers.filter(({ outcome }) => outcome === 'regression').length),
    suspect: rate(answers.filter(({ suspects }) => suspects > 0).length),
    tolerances: ratioMetricNames
      .filter((metric) => metrics[metric].promised)
      .flatMap((metric) => {
        const needed = trials.map(({ head, history }) =>
          leastTolerance(metric, { run: head, stored: history }, judging),
        );
        const least = needed.toSorted((a, b) => a - b)[Math.ceil(supportedShare * needed.length) - 1];
        return least === undefined || least > mostPercent ? [] : [{ metric, tolerance: least / 100 }];
      }),
  };
}

/** The least whole percentage with which every cell passes on that metric; more than 100 if none does. */
function leastTolerance(metric: RatioMetricName, measured: Measurements, { config, plan }: Judging): number {
  const passes = (percent: number): boolean => {
    const tolerances = { ...config.tolerances, [metric]: percent / 100 };
    const { cells } = judgeSuite({ ...config, tolerances }, plan, measured, when);
    return cells.every(({ metrics: rows }) =>
      rows.every((row) => row.metric !== metric || row.outcome === 'pass'),
    );
  };
  let [tooSmall, enough] = [0, mostPercent + 1];
  while (enough - tooSmall > 1) {
    const middle = Math.floor((tooSmall + enough) / 2);
    if (passes(middle)) enough = middle;
    else tooSmall = middle;
  }
  return enough;
}
