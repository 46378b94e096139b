import { median } from 'simple-statistics';
import type { Detection } from '../../model/detection.ts';
import type { Run } from '../../model/run.ts';
import { noiseOfRuns } from '../data/noise-of-runs.ts';
import type { RecordedRun } from '../data/recorded-run.ts';
import { comparableGroups, type TrialPlan } from '../data/recorded-trials.ts';
import { levers } from '../rules/levers.ts';
import { peersLearnedFrom } from '../rules/peers.ts';
import { worlds } from '../simulation/world.ts';
import { unchangedChecks } from '../unchanged-checks.ts';
import { type Answer, ownRules } from './answers.ts';
import { bothFolds, equalised, type Fold } from './equal.ts';
import { reference, sceneName } from './jobs.ts';
import {
  type ClusteredAnswer,
  clusteredAnswers,
  clusteredRate,
  independentAnswers,
  independentRate,
} from './rates.ts';
import type { Bench, JobResult, PlannedAnswers } from './run-job.ts';
import { seriesRules } from './series.ts';
import { addTallies } from './tally.ts';

/** What only the caller knows. */
export type Circumstances = Pick<Detection, 'commit' | 'date' | 'machine' | 'seconds'>;

type Of<Kind extends JobResult['kind']> = Extract<JobResult, { kind: Kind }>;

/** The results of all jobs as one. */
export function summarise(
  bench: Bench,
  results: readonly JobResult[],
  circumstances: Circumstances,
): Detection {
  const of = <Kind extends JobResult['kind']>(kind: Kind) =>
    results.filter((result): result is Of<Kind> => result.kind === kind);
  const recorded = of('recorded');
  const trialsOf = (name: string) => recorded.find(({ scene }) => sceneName(scene) === name)?.trials ?? [];
  const trials = trialsOf(sceneName({}));
  const unchanged = clustered(bench, trials);
  return {
    schema: 1,
    ...circumstances,
    data: dataOf(bench),
    noise: noiseOf(bench),
    tolerances: [...unchangedChecks(bench.recorded, bench.judging).tolerances],
    rules: rulesOf(),
    unchanged: unchangedByRegime(unchanged),
    byThroughput: clusteredAnswers(clustered(bench, trials, ({ byThroughput }) => byThroughput)),
    power: recorded
      .filter(({ scene }) => scene.effect !== undefined)
      .flatMap(({ scene, trials: some }) =>
        clusteredAnswers(clustered(bench, some)).map((answers) => ({ ...answers, scene: sceneName(scene) })),
      ),
    equal: equalOnRecorded(bench, trials, trialsOf(sceneName(reference))),
    levers: of('lever').map(({ lever, scene, trials: some }) => ({
      lever,
      title: levers.find(({ name }) => name === lever)?.title ?? lever,
      scene: sceneName(scene),
      red: clusteredRate(clustered(bench, some)),
    })),
    changes: of('changes').flatMap(({ changes }) => [...changes]),
    series: of('series').flatMap(seriesOf),
    simulated: simulatedOf(of('simulated')),
    simulatedEqual: equalInWorlds(of('simulated')),
  };
}

interface RecordedAnswer extends ClusteredAnswer {
  readonly regime: string;
}

/** What was judged: head's run, or the pair. A pair that was resampled from head belongs to head's run. */
export function clusterOf(
  { data: { runs, pairs } }: Bench,
  { head, beside }: TrialPlan,
  { ofPair }: Pick<Answer, 'ofPair'>,
): RecordedRun {
  const judged = ofPair && beside !== undefined ? pairs[beside]?.head : runs[head];
  if (judged === undefined) throw new Error(`there is no recorded run ${head}`);
  return judged;
}

function clustered(
  bench: Bench,
  trials: readonly PlannedAnswers[],
  read: (one: PlannedAnswers) => PlannedAnswers['answers'] = ({ answers }) => answers,
): readonly RecordedAnswer[] {
  return trials.flatMap((one) =>
    read(one).map((answer): RecordedAnswer => {
      const { run, regime } = clusterOf(bench, one.plan, answer);
      return { ...answer, cluster: run.id, regime };
    }),
  );
}

function unchangedByRegime(answers: readonly RecordedAnswer[]): Detection['unchanged'] {
  const regimes = Map.groupBy(answers, ({ regime }) => regime);
  return [['all', answers] as const, ...regimes].flatMap(([regime, some]) =>
    clusteredAnswers(some).map((one) => ({ ...one, regime })),
  );
}

/** By the earlier and the later half of the runs. */
function equalOnRecorded(
  bench: Bench,
  unchanged: readonly PlannedAnswers[],
  changed: readonly PlannedAnswers[],
): Detection['equal'] {
  const of = (half: TrialPlan['half'], read: (one: PlannedAnswers) => readonly Answer[]) => {
    const ofHalf = ({ plan }: PlannedAnswers) => plan.half === half;
    return {
      unchanged: clustered(bench, unchanged.filter(ofHalf), read),
      changed: clustered(bench, changed.filter(ofHalf), read),
    };
  };
  const foldFrom = (half: TrialPlan['half'], other: TrialPlan['half']): Fold<RecordedAnswer> => ({
    calibrating: of(half, ({ whereItCalibrates }) => whereItCalibrates),
    testing: of(other, ({ answers }) => answers),
  });
  return equalised([foldFrom(0, 1), foldFrom(1, 0)], clusteredRate);
}

function countRegimes(runs: readonly RecordedRun[]): Detection['data']['regimes'] {
  const regimes = Map.groupBy(runs, ({ regime }) => regime);
  return Object.fromEntries([...regimes].map(([regime, all]) => [regime, all.length]));
}

function dataOf({ data: { runs, pairs }, recorded, plans }: Bench): Detection['data'] {
  const [first, last] = [runs[0]?.run, runs.at(-1)?.run];
  const machines = new Set(runs.map(({ run: { fingerprint } }) => machineName(fingerprint)));
  return {
    runs: runs.length,
    regimes: countRegimes(runs),
    pairs: pairs.length,
    pairRegimes: countRegimes(pairs.map(({ head }) => head)),
    changes: recorded.filter(({ change }) => change !== '').length,
    blocks: recorded.flatMap(({ run }) => run.cells.flatMap(({ blocks }) => blocks)).length,
    from: first?.startedAt ?? '',
    to: last?.finishedAt ?? '',
    recordedOn: [...machines].join('; '),
    history: Math.max(0, ...plans.map(({ history }) => history.length)),
    trials: plans.length,
  };
}

function noiseOf({ data: { runs } }: Bench): Detection['noise'] {
  return comparableGroups(runs).flatMap((positions) => {
    const group = positions.flatMap((position) => runs[position]?.run ?? []);
    const [first] = group;
    const { parts } = noiseOfRuns(group);
    if (first === undefined || parts.length === 0) return [];
    const { fingerprint, startedAt } = first;
    return [
      {
        machine: machineName(fingerprint),
        from: startedAt,
        runs: group.length,
        parts: parts.map(({ metric, kind, block, boot, run }) => ({ metric, kind, block, boot, run })),
      },
    ];
  });
}

function machineName({ cpuModel, cpuCount }: Run['fingerprint']): string {
  return `${cpuModel}, ${cpuCount} cores`;
}

function rulesOf(): Detection['rules'] {
  return [
    ...ownRules.map(({ name, title }) => ({ name, title })),
    ...peersLearnedFrom([]).map(({ name, title, source }) => ({ name, title, source })),
  ];
}

function seriesOf({ series }: Of<'series'>): Detection['series'] {
  return series.map(({ rule, effect, count, falseAlarms, delays }) => ({
    rule,
    title: seriesRules.find(({ name }) => name === rule)?.title ?? rule,
    scene: sceneName(effect === undefined ? {} : { effect }),
    series: count,
    falseAlarms: falseAlarms / count,
    within5: delays.filter((delay) => delay <= 5).length / count,
    within20: delays.length / count,
    ...(delays.length === 0 ? {} : { medianDelay: median([...delays]) }),
  }));
}

function simulatedOf(results: readonly Of<'simulated'>[]): Detection['simulated'] {
  const groups = Map.groupBy(results, ({ world, scene }) => `${world} ${sceneName(scene)}`);
  return [...groups.values()].flatMap((all) => {
    const [{ world, scene } = { world: '', scene: {} }] = all;
    const title = worlds.find(({ name }) => name === world)?.title ?? world;
    return addTallies(all.flatMap(({ tallies }) => tallies)).map((tally) => ({
      ...independentAnswers(tally),
      world,
      title,
      scene: sceneName(scene),
    }));
  });
}

/** By any halves of each world's checks, because simulated ones are independent. */
function equalInWorlds(results: readonly Of<'simulated'>[]): Detection['simulatedEqual'] {
  return [...Map.groupBy(results, ({ world }) => world)].flatMap(([world, all]) => {
    const halves = (isChanged: boolean) => {
      const some = all.filter(({ scene }) => (scene.effect !== undefined) === isChanged);
      const byRule = Map.groupBy(
        some.flatMap(({ scores }) => scores),
        ({ rule }) => rule,
      );
      const checks = [...byRule.values()].map((ofRule) =>
        ofRule.flatMap(({ rule, ofPair, scores }) => scores.map((score) => ({ rule, ofPair, score }))),
      );
      const half = (length: number) => Math.floor(length / 2);
      return {
        first: checks.flatMap((of) => of.slice(0, half(of.length))),
        second: checks.flatMap((of) => of.slice(half(of.length))),
      };
    };
    const [unchanged, changed] = [halves(false), halves(true)];
    return equalised(
      bothFolds(
        { unchanged: unchanged.first, changed: changed.first },
        { unchanged: unchanged.second, changed: changed.second },
      ),
      independentRate,
    ).map((one) => ({ ...one, world }));
  });
}
