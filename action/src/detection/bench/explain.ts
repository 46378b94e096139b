import type { Explanation } from '../../model/detection.ts';
import { Fault } from '../../model/fault.ts';
import { cellName } from '../../model/run.ts';
import { recordedTrial, type TrialPlan } from '../data/recorded-trials.ts';
import type { Peer } from '../rules/peer.ts';
import { figureNames, type Series, seriesOf, type Trial } from '../trial.ts';
import { answerOfOwn, answersOfPeers, ownRules } from './answers.ts';
import { type Scene, sceneName, scenes } from './jobs.ts';
import { type ClusteredAnswer, clusteredRate } from './rates.ts';
import { type Bench, learnedFromOtherHalf } from './run-job.ts';
import { clusterOf } from './summary.ts';

/** Every check of a rule in a scene, with the figures that decided it. They add up to the rate that the tables have. */
export function explain(bench: Bench, rule: string, sceneText: string): Explanation {
  const { data, plans, judging, durations } = bench;
  const own = ownRules.find(({ name }) => name === rule);
  const learned = learnedFromOtherHalf(data, plans);
  const peers = learned.map((all) => all.find(({ name }) => name === rule));
  const known = [...ownRules, ...learned[0]].map(({ name }) => name);
  if (own === undefined && peers[0] === undefined) throw unknown('--explain', rule, known);
  const scene = scenes.find((one) => sceneName(one) === sceneText);
  if (scene === undefined) throw unknown('--scene', sceneText, scenes.map(sceneName));
  const found = plans.map((plan) => {
    const trial = recordedTrial(data, plan, scene.effect, scene.everywhere);
    const peer = peers[plan.half];
    const [answer] =
      own === undefined
        ? answersOfPeers(trial, peer === undefined ? [] : [peer], durations)
        : [answerOfOwn(trial, judging, own, durations)];
    if (answer === undefined) throw new Error(`${rule} gave no answer`);
    const cluster = clusterOf(bench, plan, answer).run.id;
    return {
      clustered: { ...answer, cluster },
      check: checkOf(trial, plan, scene, { ...answer, cluster }, peer),
    };
  });
  return {
    rule,
    scene: sceneText,
    checks: found.map(({ check }) => check),
    red: clusteredRate(found.map(({ clustered }) => clustered)),
  };
}

function checkOf(
  trial: Trial,
  { cell }: TrialPlan,
  { effect, everywhere }: Scene,
  { ofPair, cluster, score, outcome }: ClusteredAnswer,
  peer: Peer | undefined,
): Explanation['checks'][number] {
  const changed = trial.head.cells[cell];
  const about = {
    head: cluster,
    base: ofPair ? [trial.beside.base.id] : trial.history.map(({ id }) => id),
    changed: effect === undefined || changed === undefined ? '' : everywhere ? 'all' : cellName(changed),
    outcome,
  };
  if (peer === undefined) return about;
  const scoreOf = (series: Series) => peer.score(series) ?? Number.NEGATIVE_INFINITY;
  const worst = seriesOf(trial, figureNames).toSorted((a, b) => scoreOf(b) - scoreOf(a))[0];
  if (worst === undefined || !Number.isFinite(score)) return about;
  const [base, head] = ofPair ? [worst.beside.base, worst.beside.head] : [worst.history, [worst.head]];
  return { ...about, worst: { name: worst.name, base, head, score } };
}

function unknown(place: string, given: string, known: readonly string[]): Fault {
  return new Fault({
    code: 'E_BENCH_NAME',
    kind: 'usage',
    place,
    cause: `the bench does not know \`${given}\``,
    nextStep: `name one of: ${known.join(', ')}`,
  });
}
