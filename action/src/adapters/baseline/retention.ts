import type { Fingerprint, Run } from '../../model/run.ts';
import { withoutHistograms } from '../results/index.ts';

/**
 * Every change to a scenario makes a new fingerprint, so their number needs a limit too. A project uses several at the
 * same time: hosted runners have three CPU models, and each suite has its own fingerprint.
 */
const keptFingerprints = 24;

/** Position of each commit in the history: a commit is never an ancestor of one with a lower number. */
export type Ancestry = ReadonlyMap<string, number>;

/**
 * The runs, oldest first, ordered by start time. The runs whose commits are known then swap places until none comes
 * before a run of its ancestor: measuring an old commit again does not make it the newest. All other runs, such as
 * those of commits that a shallow checkout lacks, keep their place.
 */
export function inHistoryOrder(runs: readonly Run[], ancestry: Ancestry): Run[] {
  const byTime = runs.toSorted((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt));
  const known = byTime
    .filter(({ code }) => ancestry.has(code.commit))
    .toSorted((a, b) => (ancestry.get(a.code.commit) ?? 0) - (ancestry.get(b.code.commit) ?? 0))
    .values();
  return byTime.map((run) => (ancestry.has(run.code.commit) ? (known.next().value ?? run) : run));
}

/**
 * The runs with one more, oldest first: the newest `keep` of each fingerprint, and only the most recently measured
 * fingerprints. A run with the same id is replaced. Runs from before an accepted change go with the run that it was
 * accepted in, because they would count again without it.
 */
export function withRun(runs: readonly Run[], run: Run, keep: number, ancestry: Ancestry): Run[] {
  const all = [...runs.filter(({ id }) => id !== run.id), withoutHistograms(run)];
  const counts = new Map<string, number>();
  const isRecent = ({ fingerprint }: Run) => {
    const key = fingerprintKey(fingerprint);
    const count = (counts.get(key) ?? 0) + 1;
    if (count === 1 && counts.size === keptFingerprints) return false;
    counts.set(key, count);
    return count <= keep;
  };
  const ended = new Set<string>();
  return inHistoryOrder(all, ancestry)
    .toReversed()
    .filter((one) => {
      if (ended.has(one.suite)) return false;
      const isKept = isRecent(one);
      if (!isKept && one.accepted !== undefined) ended.add(one.suite);
      return isKept;
    })
    .toReversed();
}

function fingerprintKey(fingerprint: Fingerprint): string {
  const sorted = (fields: object) => Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(sorted({ ...fingerprint, versions: sorted(fingerprint.versions) }));
}
