import type { Block } from '../model/run.ts';
import type { CellVerdict, ObjectiveResult } from '../model/verdict.ts';
import type { RequiredCell } from './options.ts';

const number = new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 });

type Figures = CellVerdict['head'];

/** A threshold of the script for each metric that missed one, by the share of the blocks that did not. */
export function missedThresholds(blocks: readonly Block[], judged = false): ObjectiveResult[] {
  const missed = blocks.flatMap((block) => block.missedThresholds ?? []);
  return [...Map.groupBy(missed, (name) => name)].map(([name, { length }]) => ({
    objective: `blocks within the script's thresholds of ${name} = 100%`,
    value: 1 - length / blocks.length,
    limit: 1,
    met: false,
    ...(judged && { judged }),
  }));
}

/** What missed objectives make of a cell: a regression if one is judged, whatever base does. */
export function objectiveOutcome({ objectives }: Pick<CellVerdict, 'objectives'>): 'pass' | 'regression' {
  return objectives.some(({ met, judged }) => !met && judged) ? 'regression' : 'pass';
}

/** Each configured objective against head's own figures. They decide nothing, unless they are gated. */
export function checkObjectives(objectives: RequiredCell['objectives'], figures: Figures): ObjectiveResult[] {
  const results = objectiveResults(objectives, figures);
  return objectives.gate === true ? results.map((result) => ({ ...result, judged: true })) : results;
}

function objectiveResults(objectives: RequiredCell['objectives'], figures: Figures): ObjectiveResult[] {
  const below = (name: string, limit: number | undefined, value: number): ObjectiveResult[] =>
    limit === undefined
      ? []
      : [{ objective: `${name} < ${number.format(limit)} ms`, value, limit, met: value < limit }];
  const { tps, errorRate } = objectives;
  return [
    ...below('mean', objectives.meanMs, figures.meanMs),
    ...below('p95', objectives.p95Ms, figures.p95Ms),
    ...below('p99', objectives.p99Ms, figures.p99Ms),
    ...(tps === undefined
      ? []
      : [
          {
            objective: `TPS >= ${number.format(tps)}`,
            value: figures.tps,
            limit: tps,
            met: figures.tps >= tps,
          },
        ]),
    ...(errorRate === undefined
      ? []
      : [
          {
            objective: `errors < ${number.format(errorRate * 100)}%`,
            value: figures.errorRate,
            limit: errorRate,
            met: figures.errorRate < errorRate,
          },
        ]),
  ];
}
