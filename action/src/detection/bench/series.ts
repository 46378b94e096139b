import { atOneSpeed, compareRuns, mostLeft, type RunComparison } from '../../judge/index.ts';
import type { Run } from '../../model/run.ts';
import {
  type ChangePointOptions,
  changePointDefaults,
  changePoints,
  createRandom,
  type Random,
} from '../../stats/index.ts';
import { comparableGroups, type RecordedData } from '../data/recorded-trials.ts';
import { type Effect, withEffect } from '../effects.ts';
import { firstRounds, type Judging, roundsOfCheck } from '../rules/own.ts';
import { figureNames, levelOf } from '../trial.ts';

/** How soon a rule finds a change in a series of main-branch runs. */
export interface SeriesAnswer {
  readonly rule: string;
  readonly effect?: Effect;
  readonly count: number;
  /** Series in which a change point was found away from the change, after whichever run. */
  readonly falseAlarms: number;
  /** Runs that a change needed to be found, for each series in which it was. */
  readonly delays: readonly number[];
}

interface Figure {
  readonly value: number;
  /** Log of the machine's slowness that was divided out of it. */
  readonly slowness: number;
}

/** TPS and p95 of every cell of a run. */
type Figures = readonly (readonly Figure[])[];

/** Rules that look at a series as a whole. */
export const seriesRules: readonly {
  readonly name: string;
  readonly title: string;
  readonly options: ChangePointOptions;
  readonly figuresOf: (runs: readonly Run[], comparison: RunComparison) => readonly Figures[];
}[] = [
  {
    name: 'otava',
    title: 'Apache Otava',
    // Its own defaults: no least change.
    options: { ...changePointDefaults, leastChange: 0 },
    figuresOf: (runs) =>
      runs.map((run) =>
        run.cells.map((_, cell) =>
          figureNames.map((name) => ({ value: levelOf(run, cell, name), slowness: 0 })),
        ),
      ),
  },
  {
    name: 'history',
    title: 'change points of `./gate history`',
    options: changePointDefaults,
    figuresOf: (runs, comparison) =>
      atOneSpeed(runs, comparison).map((cells) =>
        [...cells.values()].map(({ figures, slowness }) =>
          figureNames.map((name) => ({ value: figures[name] ?? 0, slowness: slowness[name] ?? 0 })),
        ),
      ),
  },
];

const runsBefore = 20;
const runsAfter = 20;
/** A change point as near as this to the change is the change (van den Burg and Williams 2020, arXiv:2003.06222). */
const near = 5;
/** Runs that follow each other in a series as they were recorded, so that hours stay together (Politis and Romano 1992). */
const together = 4;

interface Recorded {
  readonly data: RecordedData;
  readonly judging: Pick<Judging, 'config'>;
}

/**
 * Series of whole runs, drawn with replacement in stretches of comparable recorded ones, with the effect in one cell from the
 * middle on. Every cell's throughput and p95 are searched after every new run; a change point elsewhere than near the change is a
 * false alarm.
 */
export function answersOnSeries(
  { data: { runs }, judging: { config } }: Recorded,
  { effect, count }: { readonly effect?: Effect; readonly count: number },
): readonly SeriesAnswer[] {
  const cells = runs[0]?.run.cells.length ?? 0;
  if (cells === 0) return [];
  const random = createRandom(3);
  const groups = comparableGroups(runs)
    .filter(({ length }) => length > 1)
    .map((positions) => positions.flatMap((position) => runs[position]?.run ?? []))
    .map((group) => group.map((run) => firstRounds(run, roundsOfCheck)));
  // A group is drawn as often as it has runs.
  const groupOfRuns = groups.flatMap((group) => group.map(() => group));
  const changed = new Map(
    groups.flat().map((run) => [run, run.cells.map((_, cell) => withEffect(run, effect, [cell]))]),
  );
  const comparison = compareRuns(config.signals);
  const found = seriesRules.map(() => ({ falseAlarms: 0, delays: [] as number[] }));
  for (let one = 0; one < count; one++) {
    const cell = one % cells;
    const group = groupOfRuns[Math.floor(random() * groupOfRuns.length)] ?? [];
    const drawn = drawStretches(random, group).map((run, at) =>
      at < runsBefore ? run : (changed.get(run)?.[cell] ?? run),
    );
    for (const [rule, { options, figuresOf }] of seriesRules.entries()) {
      const answer = found[rule];
      if (answer === undefined) continue;
      const seenAfter = (end: number) => figuresOf(drawn.slice(0, end), comparison);
      const { isFalse, delay } = search(seenAfter, cell, effect !== undefined, options);
      if (isFalse) answer.falseAlarms++;
      if (delay !== undefined) answer.delays.push(delay);
    }
  }
  return seriesRules.map(({ name }, rule) => ({
    rule: name,
    ...(effect === undefined ? {} : { effect }),
    count,
    falseAlarms: found[rule]?.falseAlarms ?? 0,
    delays: found[rule]?.delays ?? [],
  }));
}

/** Stretches go on with the first run after the last one (circular block bootstrap). */
function drawStretches(random: Random, runs: readonly Run[]): readonly Run[] {
  const stretches = Array.from({ length: (runsBefore + runsAfter) / together }, () => {
    const from = Math.floor(random() * runs.length);
    return Array.from({ length: together }, (_, next) => {
      const run = runs[(from + next) % runs.length];
      if (run === undefined) throw new Error('no two recorded runs are comparable');
      return run;
    });
  });
  return stretches.flat();
}

/** @param seenAfter what the rule knows after so many runs */
function search(
  seenAfter: (end: number) => readonly Figures[],
  changed: number,
  hasChange: boolean,
  options: ChangePointOptions,
): { readonly isFalse: boolean; readonly delay: number | undefined } {
  let isFalse = false;
  let delay: number | undefined;
  for (let end = runsBefore; end <= runsBefore + runsAfter; end++) {
    const seen = seenAfter(end);
    const isMade = hasChange && end > runsBefore;
    for (const cell of (seen[0] ?? []).keys()) {
      for (const figure of figureNames.keys()) {
        const found = seen.map((run) => run[cell]?.[figure] ?? { value: 0, slowness: 0 });
        const values = found.map(({ value }) => value);
        const logs = found.map(({ slowness }) => slowness);
        for (const { index } of changePoints(values, options, { logs, mostLeft })) {
          const isChange = isMade && cell === changed && Math.abs(index - runsBefore) <= near;
          if (isChange) delay ??= end - runsBefore;
          else isFalse = true;
        }
      }
    }
  }
  return { isFalse, delay };
}
