import { cellName, type Fingerprint } from '../../model/run.ts';
import type { Comparison, Mismatch, Outcome, Verdict } from '../../model/verdict.ts';
import { formatChange } from '../format/number.ts';
import { truncate } from '../format/text-layout.ts';
import { countOf } from './cell-state.ts';
import { namesText } from './invalid-reason.ts';
import { metricTitles } from './metric.ts';

/** Hosts of one kind are comparable, so nothing is said of them. */
type ComparedField = Exclude<keyof Fingerprint, 'host'>;

const fieldTitles: Readonly<Record<ComparedField, string>> = {
  cpuModel: 'CPU model',
  cpuCount: 'CPU count',
  memoryGiB: 'memory (GiB)',
  os: 'operating system',
  runner: 'runner',
  stack: 'kind of stack',
  k6: 'k6',
  versions: 'versions',
  dataKey: 'seeded data',
  loadHash: 'scenarios, loads or scripts',
};

/** `CPU model` for `cpuModel`, `version of jdk` for `versions.jdk`; others as they are. */
export function fieldTitle(field: string): string {
  if (field.startsWith('versions.')) return `version of ${field.slice('versions.'.length)}`;
  return Object.hasOwn(fieldTitles, field) ? fieldTitles[field as ComparedField] : field;
}

/** Hashes and model names are told apart by their beginning. */
const longestValue = 48;
const longestHash = 12;

function showValue(value: string): string {
  if (value === '') return 'none';
  return /^[0-9a-f]{16,}$/.test(value) ? value.slice(0, longestHash) : truncate(value, longestValue);
}

const mostKinds = 3;

export interface MismatchNote {
  /** Such as `3 stored runs left out`. */
  readonly title: string;
  /** Each field that differs, base → head. */
  readonly differences: readonly string[];
}

/** Why stored runs were left out, those with the same differences together, newest first. */
export function mismatchNotes(mismatches: readonly Mismatch[]): readonly MismatchNote[] {
  const kinds = new Map<string, { readonly mismatch: Mismatch; runs: number }>();
  for (const mismatch of mismatches.toReversed()) {
    const key = JSON.stringify(mismatch.differences);
    const kind = kinds.get(key);
    if (kind === undefined) kinds.set(key, { mismatch, runs: 1 });
    else kind.runs += 1;
  }
  const shown = [...kinds.values()].slice(0, mostKinds);
  const hidden = mismatches.length - shown.reduce((sum, { runs }) => sum + runs, 0);
  return [
    ...shown.map(({ mismatch, runs }) => ({
      title: `${countOf(runs, 'stored run')} left out`,
      differences: mismatch.differences.map(
        ({ field, base, head }) => `${fieldTitle(field)}: ${showValue(base)} → ${showValue(head)}`,
      ),
    })),
    ...(hidden > 0
      ? [{ title: `${countOf(hidden, 'more stored run')} left out for other differences`, differences: [] }]
      : []),
  ];
}

/** `3 stored runs, newest 1a2b3c4d of 2026-01-31 10:12`. */
export function baseText(comparison: Comparison): string {
  if (comparison.kind === 'none') return 'none';
  if (comparison.kind === 'side-by-side')
    return `${shortCommit(comparison.baseCommit)}, measured in turn on this machine`;
  const newest = comparison.base.at(-1);
  const left = comparison.outlying?.length ?? 0;
  const runs = `${countOf(comparison.base.length, 'stored run')}${left === 0 ? '' : ` without ${countOf(left, 'outlying one')}`}`;
  const confirmed =
    comparison.confirmed === undefined
      ? ''
      : `; beside ${shortCommit(comparison.confirmed.baseCommit)}: ${comparison.confirmed.cells.map(({ name }) => name).join(', ')}`;
  return newest === undefined
    ? runs
    : `${runs}, newest ${shortCommit(newest.commit)} of ${shortTime(newest.startedAt)}${confirmed}`;
}

/** What the stored baseline says of a run that was judged beside the base commit; empty if it was not asked. */
function storedNote({ comparison }: Verdict): readonly string[] {
  if (comparison.kind !== 'side-by-side' || comparison.stored === undefined) return [];
  const { outcome, regressed } = comparison.stored;
  if (outcome === null) return ['no stored run is comparable, so it stands beside its own base alone'];
  const cells = regressed.length === 0 ? '' : ` in ${namesText(regressed)}`;
  return [`against the stored baseline it would be: ${outcome}${cells}`];
}

/** What another look at the same run or at its cells came to; empty if there was none. */
export function otherLooks(verdict: Verdict): readonly string[] {
  return [...confirmationNote(verdict), ...storedNote(verdict)];
}

/** Why the base commit was measured though nobody asked for it, and what came of it; empty if it was not. */
function confirmationNote({ comparison, cells }: Verdict): readonly string[] {
  if (comparison.kind === 'side-by-side' && comparison.mismatches !== undefined) {
    return [
      `no stored run can be compared with; all cells were measured in turn with ${shortCommit(comparison.baseCommit)}`,
    ];
  }
  if (comparison.kind !== 'stored' || comparison.confirmed === undefined) return [];
  const { baseCommit, cells: again } = comparison.confirmed;
  const found = foundBeside.flatMap(([outcome, text]) => {
    const count = again.filter((cell) => cell.outcome === outcome).length;
    return count === 0 ? [] : [`${count} ${text}`];
  });
  const standing = again.filter(
    ({ name, outcome }) =>
      outcome !== 'regression' &&
      cells.some((cell) => cellName(cell) === name && cell.outcome === 'regression'),
  );
  const names = standing.map(({ name }) => name);
  return [
    `${countOf(again.length, 'cell')} looked worse than the stored baseline and ${again.length === 1 ? 'was' : 'were'} measured in turn with ${shortCommit(baseCommit)}: ${found.join(', ')} there`,
    ...(names.length === 0
      ? []
      : [
          `against the stored runs ${names.join(', ')} regressed, and measuring in turn did not refute it: that verdict stands`,
        ]),
  ];
}

/** How the outcomes of the second look are counted, worst first. */
const foundBeside: readonly (readonly [Outcome, string])[] = [
  ['regression', 'slower or less correct'],
  ['inconclusive', 'inconclusive'],
  ['invalid', 'not to be trusted'],
  ['pass', 'no worse'],
];

export function shortCommit(commit: string): string {
  return commit === '' ? 'no commit' : commit.slice(0, 8);
}

/** `2026-01-31 10:12 UTC` for an ISO time. */
function shortTime(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
}

export function mismatchesOf({ comparison }: Verdict): readonly Mismatch[] {
  return comparison.mismatches ?? [];
}

/** Comparable runs that were left out for lying far from the others, one a line. */
export function outlierNotes({ comparison }: Verdict): readonly string[] {
  const outlying = comparison.kind === 'stored' ? (comparison.outlying ?? []) : [];
  return outlying.map(
    ({ runId, metric, change }) =>
      `${runId}: ${metricTitles[metric]} over all cells ${formatChange(change)} against the median of the stored runs`,
  );
}
