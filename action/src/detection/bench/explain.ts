import type { Explanation } from '../../model/detection.ts';
import { Fault } from '../../model/fault.ts';
import { isRatioMetric, metrics } from '../../model/metric.ts';
import { cellName } from '../../model/run.ts';
import type { MetricVerdict, Verdict } from '../../model/verdict.ts';
import { recordedTrial, type TrialPlan } from '../data/recorded-trials.ts';
import { ownAnswer } from '../rules/own.ts';
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
    const trial = recordedTrial(data, plan, scene);
    const peer = peers[plan.half];
    const [answer] =
      own === undefined
        ? answersOfPeers(trial, peer === undefined ? [] : [peer], durations)
        : [answerOfOwn(trial, judging, own, durations)];
    if (answer === undefined) throw new Error(`${rule} gave no answer`);
    const clustered = { ...answer, cluster: clusterOf(bench, plan, answer).run.id };
    const verdict = own === undefined ? undefined : ownAnswer(trial, judging, own.lever).verdict;
    const worst = verdict === undefined ? worstOfPeer(trial, clustered, peer) : worstOfVerdict(verdict);
    return {
      clustered,
      check: {
        ...checkOf(trial, plan, scene, clustered),
        base: baseOf(trial, clustered, verdict),
        ...(worst && { worst }),
      },
    };
  });
  return {
    rule,
    scene: sceneText,
    checks: found.map(({ check }) => check),
    red: clusteredRate(found.map(({ clustered }) => clustered)),
  };
}

type Check = Explanation['checks'][number];

function checkOf(
  trial: Trial,
  { cell }: TrialPlan,
  { effect, everywhere }: Scene,
  { cluster, outcome }: ClusteredAnswer,
): Omit<Check, 'base' | 'worst'> {
  const changed = trial.head.cells[cell];
  return {
    head: cluster,
    changed: effect === undefined || changed === undefined ? '' : everywhere ? 'all' : cellName(changed),
    outcome,
  };
}

/** Ids of the runs that head was compared with. */
function baseOf(trial: Trial, { ofPair }: ClusteredAnswer, verdict: Verdict | undefined): Check['base'] {
  if (ofPair) return [trial.beside.base.id];
  const compared = verdict?.comparison.kind === 'stored' ? verdict.comparison.base : undefined;
  return compared?.map(({ runId }) => runId) ?? trial.history.map(({ id }) => id);
}

/** The figure that is farthest beyond the peer's limit. */
function worstOfPeer(
  trial: Trial,
  { ofPair, score }: ClusteredAnswer,
  peer: Peer | undefined,
): Check['worst'] {
  if (peer === undefined) return undefined;
  const scoreOf = (series: Series) => peer.score(series) ?? Number.NEGATIVE_INFINITY;
  const worst = seriesOf(trial, figureNames).toSorted((a, b) => scoreOf(b) - scoreOf(a))[0];
  if (worst === undefined || !Number.isFinite(score)) return undefined;
  const [base, head] = ofPair ? [worst.beside.base, worst.beside.head] : [worst.history, [worst.head]];
  return { name: worst.name, base, head, score };
}

/**
 * A count that failed the check, or else the metric that did, or else the one that is farthest from chance. Its means are as
 * measured, and its multiple has the machine's speed divided out.
 */
function worstOfVerdict({ cells, groups }: Verdict): Check['worst'] {
  const [count] = cells.flatMap((cell) =>
    cell.signals
      .filter(({ failed }) => failed)
      .map(({ title, base, head, limit }) => ({
        name: `${cellName(cell)} ${title}`,
        base: [base],
        head: [head],
        score: Math.abs(head - base) / limit,
      })),
  );
  const rows = [
    ...cells.map((cell) => ({ name: cellName(cell), judged: cell.metrics })),
    ...groups.map((group) => ({ name: group.scenario ?? 'all cells', judged: group.metrics })),
  ].flatMap(({ name, judged }) => judged.map((row) => ({ name, row })));
  const isRed = ({ row: { outcome } }: { readonly row: MetricVerdict }) => Number(outcome === 'regression');
  const [worst] = rows.toSorted((a, b) => isRed(b) - isRed(a) || b.row.score - a.row.score);
  if (count !== undefined || worst === undefined) return count;
  const { metric, base, head, change, limit } = worst.row;
  return {
    name: `${worst.name} ${metrics[metric].title}`,
    base: [base],
    head: [head],
    // Limits of ratios hold for their logs.
    score: isRatioMetric(metric) ? Math.log1p(change) / Math.log1p(limit) : change / limit,
  };
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
