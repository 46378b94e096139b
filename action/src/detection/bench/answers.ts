import type { Outcome } from '../../model/verdict.ts';
import { type Judging, type Lever, type OwnAnswer, ownAnswer, roundsOfCheck, whole } from '../rules/own.ts';
import type { Peer } from '../rules/peer.ts';
import { peerScore } from '../rules/peers.ts';
import { type FigureName, figureNames, seriesOf, type Trial } from '../trial.ts';

/** A rule fails a check whose score is above this. */
export const redLimit = 1;

/** What a rule made of one trial. */
export interface Answer {
  readonly rule: string;
  /** Whether the rule judged base and head that were measured interleaved, and not head against stored runs. */
  readonly ofPair: boolean;
  /** True if something was measured again. */
  readonly isSuspect: boolean;
  /** `cannot` is for a rule that had too little to say anything. */
  readonly outcome: Outcome | 'cannot';
  readonly minutes: number;
  /**
   * How far the check is beyond the rule's limit, in multiples of it: red above 1. A rule that can say nothing raises no
   * alarm, whatever its limit. This project's rules have no limit that could be moved.
   */
  readonly score: number;
}

/** What measuring takes. */
export interface Durations {
  /** Boot, data and warm-up of one side. */
  readonly bootSeconds: number;
  /** One block, with what it takes to start and end it. */
  readonly blockSeconds: number;
}

/** A rule of this project under a name of its own. */
export interface OwnRule {
  readonly name: string;
  readonly title: string;
  readonly lever: Lever;
}

export const ownRules: readonly OwnRule[] = [
  { name: 'perf-gate-stored', title: 'perf-gate, stored runs', lever: whole },
  {
    name: 'perf-gate-beside',
    title: 'perf-gate, base next to head',
    lever: { ...whole, mode: 'side-by-side' },
  },
];

export function answerOfOwn(
  trial: Trial,
  judging: Judging,
  { name, lever }: OwnRule,
  durations: Durations,
): Answer {
  const answer = ownAnswer(trial, judging, lever);
  const { outcome } = answer.verdict;
  return {
    rule: name,
    score: outcome === 'regression' ? Number.POSITIVE_INFINITY : 0,
    ofPair: lever.mode === 'side-by-side',
    isSuspect: answer.suspects > 0,
    outcome,
    minutes: minutesOfOwn(answer, trial, lever, durations),
  };
}

function minutesOfOwn(
  { rounds, blocksAgain }: OwnAnswer,
  { head }: Trial,
  { mode }: Lever,
  { bootSeconds, blockSeconds }: Durations,
): number {
  const sides = mode === 'side-by-side' ? 2 : 1;
  const first = sides * (bootSeconds + rounds * head.cells.length * blockSeconds);
  const again = blocksAgain === 0 ? 0 : 2 * (bootSeconds + blocksAgain * blockSeconds);
  return (first + again) / 60;
}

/** By the given figures: a team may watch throughput alone, or p95 too. */
export function answersOfPeers(
  trial: Trial,
  peers: readonly Peer[],
  durations: Durations,
  names: readonly FigureName[] = figureNames,
): readonly Answer[] {
  if (peers.length === 0) return [];
  const series = seriesOf(trial, names);
  return peers.map((peer): Answer => {
    const score = peerScore(peer, series);
    const minutes = minutesOfPeer(peer, trial, durations);
    const outcome = score === undefined ? 'cannot' : score > redLimit ? 'regression' : 'pass';
    return {
      rule: peer.name,
      ofPair: peer.measures === 'interleaved',
      isSuspect: false,
      outcome,
      minutes,
      score: score ?? Number.NEGATIVE_INFINITY,
    };
  });
}

function minutesOfPeer(
  { measures }: Peer,
  { head, beside }: Trial,
  { bootSeconds, blockSeconds }: Durations,
): number {
  const blocks = measures === 'interleaved' ? (beside.head.cells[0]?.blocks.length ?? 0) : roundsOfCheck;
  const sides = measures === 'head' ? 1 : 2;
  return (sides * (bootSeconds + blocks * head.cells.length * blockSeconds)) / 60;
}
