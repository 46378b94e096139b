import { differencesBetween } from '../../judge/index.ts';
import type { Run } from '../../model/run.ts';
import { createRandom } from '../../stats/index.ts';
import type { RecordedRun } from '../data/recorded-run.ts';
import { pairsOf } from '../data/recorded-run.ts';
import type { RecordedData } from '../data/recorded-trials.ts';
import { resampledPair } from '../data/resampled-pair.ts';
import { firstRounds, type Judging, ownAnswer, roundsOfCheck, whole } from '../rules/own.ts';
import type { Peer } from '../rules/peer.ts';
import { peersLearnedFrom } from '../rules/peers.ts';
import { figureNames, seriesOf, type Trial } from '../trial.ts';
import { answersOfPeers, type Durations, ownRules } from './answers.ts';

/** What a rule says of a change that was really made, by what was measured first. */
export interface ChangeAnswer {
  readonly change: string;
  readonly rule: string;
  readonly answer: 'red' | 'suspect' | 'not red' | 'cannot';
}

interface Recorded {
  readonly data: RecordedData;
  readonly recorded: readonly RecordedRun[];
  readonly judging: Judging;
  readonly durations: Durations;
}

/** As many stored runs as most checks have. */
const stored = 3;

/**
 * Each recorded change against the newest comparable unchanged runs before it. Where there were too few yet, the next ones after
 * it fill up. A check would re-measure what is `suspect` here.
 * Rules that interleave say something only about changes that were recorded so.
 */
export function answersOnChanges({ data, recorded, judging, durations }: Recorded): readonly ChangeAnswer[] {
  const pairs = pairsOf(recorded).filter(({ base, head }) => base.change === '' && head.change !== '');
  const unchanged = data.pairs.flatMap(({ base, head }) =>
    seriesOf(trialOfPair(base.run, head.run), figureNames),
  );
  const peers = peersLearnedFrom(unchanged).filter(({ measures }) => measures === 'interleaved');
  const alone = recorded.filter(({ placement, change }) => placement === 'stored' && change !== '');
  return [
    ...alone.flatMap((changed) => ofStored(changed, data, judging, durations)),
    ...pairs.flatMap(({ base, head }) => {
      const trial = trialOfPair(base.run, head.run);
      return [
        ownSays(`${head.change}, base next to head`, trial, judging, 'side-by-side'),
        ...peersSay(`${head.change}, base next to head`, trial, peers, durations),
      ];
    }),
  ];
}

function trialOfPair(base: Run, head: Run): Trial {
  const sides = { base, head };
  return { history: [base], head, beside: sides, again: sides };
}

function ofStored(
  changed: RecordedRun,
  { runs }: RecordedData,
  judging: Judging,
  durations: Durations,
): readonly ChangeAnswer[] {
  const comparable = runs
    .map(({ run }) => run)
    .filter((run) => differencesBetween(run, changed.run).length === 0)
    .toSorted((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt));
  const before = comparable.filter(({ startedAt }) => startedAt < changed.run.startedAt).slice(-stored);
  const after = comparable.filter(({ startedAt }) => startedAt > changed.run.startedAt);
  const asMeasured = (run: Run) => firstRounds(run, roundsOfCheck);
  const history = [...before, ...after.slice(0, stored - before.length)].map(asMeasured);
  const sides = resampledPair(createRandom(0), changed.run, 'unused', 1);
  const trial = { history, head: asMeasured(changed.run), beside: sides, again: sides };
  const peers = peersLearnedFrom([]).filter(({ measures }) => measures !== 'interleaved');
  return [
    ownSays(changed.change, trial, judging, 'stored'),
    ...peersSay(changed.change, trial, peers, durations),
  ];
}

function peersSay(
  change: string,
  trial: Trial,
  peers: readonly Peer[],
  durations: Durations,
): readonly ChangeAnswer[] {
  return answersOfPeers(trial, peers, durations).map(({ rule, outcome }) => ({
    change,
    rule,
    answer: outcome === 'cannot' ? 'cannot' : outcome === 'regression' ? 'red' : 'not red',
  }));
}

function ownSays(
  change: string,
  trial: Trial,
  judging: Judging,
  mode: 'stored' | 'side-by-side',
): ChangeAnswer {
  const {
    verdict: { outcome, comparison },
    suspects,
  } = ownAnswer(trial, judging, { ...whole, mode, once: true });
  const rule = ownRules.find(({ lever }) => (lever.mode ?? 'stored') === mode)?.name ?? '';
  const isUnable = outcome === 'invalid' || outcome === 'noise' || comparison.kind === 'none';
  const answer =
    outcome === 'regression' ? 'red' : suspects > 0 ? 'suspect' : isUnable ? 'cannot' : 'not red';
  return { change, rule, answer };
}
