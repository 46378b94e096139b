import { median } from 'simple-statistics';
import type { Detection } from '../../model/detection.ts';
import { levers } from '../rules/levers.ts';
import { peersLearnedFrom } from '../rules/peers.ts';
import { worlds } from '../simulation/world.ts';
import { ownRules } from './answers.ts';
import { equalAnswers, equalised, halved } from './equal.ts';
import { reference, sceneName } from './jobs.ts';
import { type ClusteredAnswer, clusteredAnswers, clusteredRate, independentAnswers } from './rates.ts';
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
  const unchanged = trialsOf(sceneName({}));
  return {
    schema: 1,
    ...circumstances,
    data: dataOf(bench),
    rules: rulesOf(),
    unchanged: unchangedByRegime(bench, unchanged),
    byThroughput: clusteredAnswers(clustered(unchanged, ({ byThroughput }) => byThroughput)),
    power: recorded
      .filter(({ scene }) => scene.effect !== undefined)
      .flatMap(({ scene, trials }) =>
        clusteredAnswers(clustered(trials)).map((answers) => ({ ...answers, scene: sceneName(scene) })),
      ),
    equal: equalised(unchanged, trialsOf(sceneName(reference)), ownRules[0]?.name ?? ''),
    levers: of('lever').map(({ lever, scene, trials }) => ({
      lever,
      title: levers.find(({ name }) => name === lever)?.title ?? lever,
      scene: sceneName(scene),
      red: clusteredRate(clustered(trials)),
    })),
    changes: of('changes').flatMap(({ changes }) => [...changes]),
    series: of('series').flatMap(seriesOf),
    simulated: simulatedOf(of('simulated')),
    simulatedEqual: simulatedEqual(of('simulated')),
  };
}

function clustered(
  trials: readonly PlannedAnswers[],
  read: (one: PlannedAnswers) => PlannedAnswers['answers'] = ({ answers }) => answers,
): readonly ClusteredAnswer[] {
  return trials.flatMap((one) => read(one).map((answer) => ({ ...answer, cluster: one.plan.head })));
}

function unchangedByRegime({ data }: Bench, trials: readonly PlannedAnswers[]): Detection['unchanged'] {
  const regimeOf = ({ plan }: PlannedAnswers) => data.runs[plan.head]?.regime ?? '';
  const regimes = Map.groupBy(trials, regimeOf);
  return [['all', trials] as const, ...regimes].flatMap(([regime, some]) =>
    clusteredAnswers(clustered(some)).map((answers) => ({ ...answers, regime })),
  );
}

function dataOf({ data: { runs, pairs }, recorded, plans }: Bench): Detection['data'] {
  const [first, last] = [runs[0]?.run, runs.at(-1)?.run];
  const fingerprint = first?.fingerprint;
  const regimes = Map.groupBy(runs, ({ regime }) => regime);
  return {
    runs: runs.length,
    regimes: Object.fromEntries([...regimes].map(([regime, all]) => [regime, all.length])),
    pairs: pairs.length,
    changes: recorded.filter(({ change }) => change !== '').length,
    blocks: recorded.flatMap(({ run }) => run.cells.flatMap(({ blocks }) => blocks)).length,
    from: first?.startedAt ?? '',
    to: last?.finishedAt ?? '',
    recordedOn: fingerprint === undefined ? '' : `${fingerprint.cpuModel}, ${fingerprint.cpuCount} cores`,
    history: Math.max(0, ...plans.map(({ history }) => history.length)),
    trials: plans.length,
  };
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

/** Peers as good as our rule in each simulated world, by what our rule does in all checks of that world. */
function simulatedEqual(results: readonly Of<'simulated'>[]): Detection['simulatedEqual'] {
  const own = ownRules[0]?.name ?? '';
  return [...Map.groupBy(results, ({ world }) => world)].flatMap(([world, all]) => {
    const unchanged = all.filter(({ scene }) => scene.effect === undefined);
    const changed = all.filter(({ scene }) => scene.effect !== undefined);
    const redShare = (some: typeof all) => {
      const tally = addTallies(some.flatMap(({ tallies }) => tallies)).find(({ rule }) => rule === own);
      return tally === undefined ? 0 : tally.red / tally.checks;
    };
    const ofOwn = { unchanged: redShare(unchanged), changed: redShare(changed) };
    const rules = [...new Set(all.flatMap(({ scores }) => Object.keys(scores)))];
    return rules.map((rule) => {
      const halves = (some: typeof all) => halved(some.flatMap(({ scores }) => scores[rule] ?? []));
      return {
        world,
        rule,
        ...equalAnswers({ unchanged: halves(unchanged), changed: halves(changed) }, ofOwn),
      };
    });
  });
}
