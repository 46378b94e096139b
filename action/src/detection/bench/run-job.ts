import { mean, median } from 'simple-statistics';
import type { Plan } from '../../measure/index.ts';
import type { Config } from '../../model/config.ts';
import { Fault } from '../../model/fault.ts';
import { cellName, type Run } from '../../model/run.ts';
import { createRandom } from '../../stats/index.ts';
import type { RecordedRun } from '../data/recorded-run.ts';
import {
  fewestHistory,
  planTrials,
  type RecordedData,
  recordedData,
  recordedTrial,
  type TrialPlan,
} from '../data/recorded-trials.ts';
import { levers } from '../rules/levers.ts';
import type { Judging } from '../rules/own.ts';
import type { Peer } from '../rules/peer.ts';
import { peersLearnedFrom } from '../rules/peers.ts';
import { simulatedCells, simulatedTrial } from '../simulation/simulated-trial.ts';
import { worlds } from '../simulation/world.ts';
import { timedCells } from '../timed-cells.ts';
import { figureNames, seriesOf } from '../trial.ts';
import { type Answer, answerOfOwn, answersOfPeers, type Durations, ownRules } from './answers.ts';
import { answersOnChanges, type ChangeAnswer } from './changes.ts';
import type { Job, Scene } from './jobs.ts';
import { answersOnSeries, type SeriesAnswer } from './series.ts';
import { type Tally, tallyOf } from './tally.ts';

/** All that jobs are done with. */
export interface BenchInput {
  readonly recorded: readonly RecordedRun[];
  readonly config: Config;
  /** What the suite of the configuration measures. */
  readonly plan: Plan;
}

/** The answers of all rules on a planned trial. */
export interface PlannedAnswers {
  readonly plan: TrialPlan;
  readonly answers: readonly Answer[];
  /** The same for setting limits that the other half tests: rules that learn have learned from this half. */
  readonly whereItCalibrates: readonly Answer[];
  /** By throughput alone. */
  readonly byThroughput: readonly Answer[];
}

/** The scores of a rule, in the order of the checks. */
export interface RuleScores extends Pick<Answer, 'rule' | 'ofPair'> {
  readonly scores: readonly number[];
}

export type JobResult =
  | { readonly kind: 'recorded'; readonly scene: Scene; readonly trials: readonly PlannedAnswers[] }
  | {
      readonly kind: 'lever';
      readonly lever: string;
      readonly scene: Scene;
      readonly trials: readonly PlannedAnswers[];
    }
  | { readonly kind: 'changes'; readonly changes: readonly ChangeAnswer[] }
  | { readonly kind: 'series'; readonly series: readonly SeriesAnswer[] }
  | {
      readonly kind: 'simulated';
      readonly world: string;
      readonly scene: Scene;
      readonly tallies: readonly Tally[];
      readonly scores: readonly RuleScores[];
    };

/** The bench's own view of its input. */
export interface Bench {
  readonly data: RecordedData;
  readonly recorded: readonly RecordedRun[];
  readonly plans: readonly TrialPlan[];
  readonly judging: Judging;
  readonly simulatedJudging: Judging;
  readonly durations: Durations;
}

/** Checks of each head. */
const repeats = 3;

export function openBench({ recorded: given, config, plan }: BenchInput): Bench {
  const { recorded, judging } = timedCells(given, { config, plan });
  const data = recordedData(recorded);
  const plans = planTrials(data, judging.plan.cells.length, repeats, createRandom(1));
  if (plans.length === 0) {
    throw new Fault({
      code: 'E_FEW_RUNS',
      kind: 'usage',
      place: 'recorded runs',
      cause: `none of the ${data.runs.length} stored runs of unchanged code has ${fewestHistory} comparable ones before it`,
      nextStep: 'record more: `gate calibrate --rows FOLDER` adds runs of the checkout',
    });
  }
  return {
    data,
    recorded,
    plans,
    judging,
    simulatedJudging: {
      config,
      plan: { ...plan, cells: plan.cells.filter((cell) => simulatedCells.includes(cellName(cell))) },
    },
    durations: durationsOf(data.runs.map(({ run }) => run)),
  };
}

/** Means over the recorded runs. */
function durationsOf(runs: readonly Run[]): Durations {
  const boots = runs.map(
    ({ warmUp, phases }) => warmUp.seconds + phases.reduce((sum, { seconds }) => sum + seconds, 0),
  );
  // Medians, because blocks that only count costs lie between some of these.
  const blocks = runs.map(({ cells }) => {
    const starts = cells
      .flatMap((cell) => cell.blocks.map(({ startedAt }) => Date.parse(startedAt) / 1000))
      .toSorted((a, b) => a - b);
    const gaps = starts.slice(1).map((at, index) => at - (starts[index] ?? at));
    return gaps.length === 0 ? 0 : median(gaps);
  });
  return { bootSeconds: mean(boots), blockSeconds: mean(blocks) };
}

export function runJob(bench: Bench, job: Job): JobResult {
  switch (job.kind) {
    case 'recorded':
      return { kind: job.kind, scene: job.scene, trials: onRecorded(bench, job.scene) };
    case 'lever':
      return { kind: job.kind, lever: job.lever, scene: job.scene, trials: withoutLever(bench, job) };
    case 'changes':
      return { kind: job.kind, changes: answersOnChanges(bench) };
    case 'series':
      return { kind: job.kind, series: answersOnSeries(bench, job) };
    case 'simulated':
      return simulate(bench, job);
  }
}

function onRecorded({ data, plans, judging, durations }: Bench, scene: Scene): readonly PlannedAnswers[] {
  const learned = learnedFromOtherHalf(data, plans);
  return plans.map((plan) => {
    const trial = recordedTrial(data, plan, scene);
    const [peers, ofOwnHalf] = plan.half === 0 ? learned : [learned[1], learned[0]];
    const own = ownRules.map((rule) => answerOfOwn(trial, judging, rule, durations));
    return {
      plan,
      answers: [...own, ...answersOfPeers(trial, peers, durations)],
      whereItCalibrates: [...own, ...answersOfPeers(trial, ofOwnHalf, durations)],
      byThroughput: answersOfPeers(trial, peers, durations, ['tps']),
    };
  });
}

/** For each half the peers, with what they learned from unchanged checks of the other half. */
export function learnedFromOtherHalf(
  data: RecordedData,
  plans: readonly TrialPlan[],
): readonly [readonly Peer[], readonly Peer[]] {
  const learnedFrom = (from: TrialPlan['half']) =>
    peersLearnedFrom(
      plans
        .filter(({ half }) => half === from)
        .flatMap((plan) => seriesOf(recordedTrial(data, plan), figureNames)),
    );
  return [learnedFrom(1), learnedFrom(0)];
}

function withoutLever(
  { data, plans, judging, durations }: Bench,
  { lever: name, scene }: Extract<Job, { kind: 'lever' }>,
): readonly PlannedAnswers[] {
  const lever = levers.find((one) => one.name === name);
  if (lever === undefined) throw new Error(`there is no part ${name}`);
  return plans.map((plan) => {
    const trial = recordedTrial(data, plan, scene);
    const answers = [answerOfOwn(trial, judging, { ...lever, lever }, durations)];
    return { plan, answers, whereItCalibrates: [], byThroughput: [] };
  });
}

/** Unchanged checks that rules may learn from, in each world. */
const checksToLearnFrom = 50;

function simulate(
  { simulatedJudging, durations }: Bench,
  { world: name, effect, checks, seed }: Extract<Job, { kind: 'simulated' }>,
): JobResult {
  const world = worlds.find((one) => one.name === name);
  if (world === undefined) throw new Error(`there is no world ${name}`);
  const learning = createRandom(0);
  const peers = peersLearnedFrom(
    Array.from({ length: checksToLearnFrom }, () => simulatedTrial(learning, world, undefined, [])).flatMap(
      (trial) => seriesOf(trial, figureNames),
    ),
  );
  const random = createRandom(seed);
  const answers = Array.from({ length: checks }, (_, index) => {
    const trial = simulatedTrial(random, world, effect, [index % simulatedCells.length]);
    return [
      ...ownRules.map((rule) => answerOfOwn(trial, simulatedJudging, rule, durations)),
      ...answersOfPeers(trial, peers, durations),
    ];
  }).flat();
  const scores = [...Map.groupBy(answers, ({ rule }) => rule)].map(
    ([rule, all]): RuleScores => ({
      rule,
      ofPair: all.every(({ ofPair }) => ofPair),
      scores: all.map(({ score }) => score),
    }),
  );
  return {
    kind: 'simulated',
    world: name,
    scene: effect === undefined ? {} : { effect },
    tallies: tallyOf(answers),
    scores,
  };
}
