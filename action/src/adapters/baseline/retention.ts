import type { Fingerprint, Run } from '../../model/run.ts';
import { withoutHistograms } from '../results/index.ts';

/**
 * Every change of a scenario makes a new fingerprint, so their number has to be bounded too. One project has several
 * alive: three CPU models among hosted runners, times its suites.
 */
const keptFingerprints = 24;

/** Where a commit stands in the history: a higher number is never an ancestor of a lower one. */
export type Ancestry = ReadonlyMap<string, number>;

/**
 * The runs, oldest first. By start time, but the runs whose commits are known exchange their places until none comes
 * before a run of an ancestor: a repeated measurement of an old commit does not become the newest. Commits that a
 * shallow checkout does not hold keep the place that their time gives them.
 */
export function inHistoryOrder(runs: readonly Run[], ancestry: Ancestry): Run[] {
  const byTime = runs.toSorted((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt));
  const known = byTime
    .filter(({ code }) => ancestry.has(code.commit))
    .toSorted((a, b) => (ancestry.get(a.code.commit) ?? 0) - (ancestry.get(b.code.commit) ?? 0));
  const next = known.values();
  return byTime.map((run) => (ancestry.has(run.code.commit) ? (next.next().value ?? run) : run));
}

/**
 * The runs with one more, oldest first: the newest `keep` of each fingerprint, of the fingerprints that were measured
 * last. A run that is there already is replaced.
 */
export function withRun(runs: readonly Run[], run: Run, keep: number, ancestry: Ancestry): Run[] {
  const all = [...runs.filter(({ id }) => id !== run.id), withoutHistograms(run)];
  const counts = new Map<string, number>();
  return inHistoryOrder(all, ancestry)
    .toReversed()
    .filter(({ fingerprint }) => {
      const key = fingerprintKey(fingerprint);
      const count = (counts.get(key) ?? 0) + 1;
      if (count === 1 && counts.size === keptFingerprints) return false;
      counts.set(key, count);
      return count <= keep;
    })
    .toReversed();
}

function fingerprintKey(fingerprint: Fingerprint): string {
  const versions = Object.entries(fingerprint.versions).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(
    Object.entries({ ...fingerprint, versions }).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}
