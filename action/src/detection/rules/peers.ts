import type { Series } from '../trial.ts';
import { bencher } from './bencher.ts';
import { clickHouse } from './clickhouse.ts';
import { kayenta } from './kayenta.ts';
import type { Peer } from './peer.ts';
import { baseThenHead, codSpeed, githubActionBenchmark, k6Thresholds } from './ratios.ts';

/** Every peer that judges one check. `unchanged` are series of unchanged code for rules that learn a floor from them. */
export function peersLearnedFrom(unchanged: readonly Series[]): readonly Peer[] {
  return [
    githubActionBenchmark(2),
    githubActionBenchmark(1.5),
    ...bencher,
    baseThenHead(25),
    k6Thresholds(1.1),
    codSpeed(10),
    clickHouse(),
    clickHouse(unchanged),
    kayenta,
  ];
}

/** How far the worst of the series is beyond the rule's limit; undefined if the rule can say nothing about any. */
export function peerScore({ score }: Peer, series: readonly Series[]): number | undefined {
  const scores = series.flatMap((one) => score(one) ?? []);
  return scores.length === 0 ? undefined : Math.max(...scores);
}
