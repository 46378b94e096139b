import { metrics } from '../../model/metric.ts';
import { cellName, type Fingerprint } from '../../model/run.ts';
import type { Comparison, Mismatch, Outcome, Verdict } from '../../model/verdict.ts';
import { formatChange, formatSeconds } from '../format/number.ts';
import { countOf, namesText } from '../format/phrase.ts';
import { truncate } from '../format/text-layout.ts';
import type { Row } from './report-parts.ts';

/** Runs of different hosts of one kind are comparable, so the host never differs. */
type ComparedField = Exclude<keyof Fingerprint, 'host'> | 'accepted';

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
  accepted: 'an accepted change:',
};

/** `CPU model` for `cpuModel`, `version of jdk` for `versions.jdk`; unknown fields keep their names. */
function fieldTitle(field: string): string {
  if (field.startsWith('versions.')) return `version of ${field.slice('versions.'.length)}`;
  return Object.hasOwn(fieldTitles, field) ? fieldTitles[field as ComparedField] : field;
}

/** Hashes and model names differ in their beginning. */
const longestValue = 48;
const longestHash = 12;

function showValue(value: string): string {
  if (value === '') return 'none';
  return /^[0-9a-f]{16,}$/.test(value) ? value.slice(0, longestHash) : truncate(value, longestValue);
}

/** A comparison with something. */
type Compared = Exclude<Comparison, { kind: 'none' }>;

const mostKinds = 3;
const mostDifferences = 10;

/** `2 stored runs: CPU model a → b`, newest first, with one note for runs that differ alike. */
export function mismatchNotes({ comparison }: Verdict): readonly string[] {
  const mismatches = comparison.mismatches ?? [];
  const kinds = Map.groupBy(mismatches.toReversed(), ({ differences }) => JSON.stringify(differences));
  const shown = [...kinds.values()].slice(0, mostKinds);
  const hidden = mismatches.length - shown.flat().length;
  const differencesOf = ({ differences }: Mismatch) =>
    differences
      .slice(0, mostDifferences)
      .map(({ field, base, head }) => `${fieldTitle(field)} ${showValue(base)} → ${showValue(head)}`);
  return [
    ...shown.map(
      (runs) =>
        `${countOf(runs.length, 'stored run')}: ${runs.slice(0, 1).flatMap(differencesOf).join('; ')}`,
    ),
    ...(hidden > 0 ? [`${countOf(hidden, 'more stored run')} with other differences`] : []),
  ];
}

/** What differs from the newest stored run: `seeded data, version of jdk`. */
export function changedConditions({ mismatches = [] }: Comparison): string {
  return namesText((mismatches.at(-1)?.differences ?? []).map(({ field }) => fieldTitle(field)));
}

/** `3 stored runs, newest 1a2b3c4d of 2026-01-31 10:12 UTC`. */
function baseText(comparison: Comparison): string {
  if (comparison.kind === 'none') return 'none';
  const again = remeasuredText(comparison);
  if (comparison.kind === 'side-by-side') {
    return `${shortCommit(comparison.baseCommit)}, measured interleaved with head on this machine${again}`;
  }
  const { base, outlying = [], otherSpeed = [] } = comparison;
  const newest = base.at(-1);
  return [
    countOf(base.length, 'stored run'),
    ...(newest === undefined
      ? []
      : [`, newest ${shortCommit(newest.commit)} of ${shortTime(newest.startedAt)}`]),
    ...(otherSpeed.length === 0
      ? []
      : [`, ${otherSpeed.length} of the newest left out because the machine had another speed`]),
    ...(outlying.length === 0 ? [] : [`, ${countOf(outlying.length, 'outlying run')} left out`]),
    again,
  ].join('');
}

/** The cells that were measured again. */
function remeasuredText({ confirmed }: Compared): string {
  if (confirmed === undefined) return '';
  const names = namesText(confirmed.cells.map(({ name }) => name));
  return `; re-measured against ${shortCommit(confirmed.baseCommit)}: ${names}`;
}

/** How the outcomes of re-measured cells are counted, worst first. */
const remeasuredWords: Readonly<Record<Outcome, string>> = {
  regression: 'confirmed',
  invalid: 'invalid',
  noise: 'too disturbed',
  undecided: 'undecided',
  accepted: 'confirmed and accepted',
  coarse: 'cleared, coarsely',
  pass: 'cleared',
};

/** What came of re-measuring suspect cells against the base commit; empty if nothing was re-measured. */
function remeasuredNotes({ kind, confirmed }: Compared): readonly string[] {
  if (confirmed === undefined) return [];
  const { baseCommit, cells: again, spared = [] } = confirmed;
  const counts = Object.entries(remeasuredWords).flatMap(([outcome, word]) => {
    const count = again.filter((cell) => cell.outcome === outcome).length;
    return count === 0 ? [] : [`${count} ${word}`];
  });
  const than = kind === 'stored' ? 'the stored baseline' : 'the base commit';
  const some = spared.length === 0 ? '' : `${namesText(again.map(({ name }) => name))} `;
  return [
    `${countOf(again.length + spared.length, 'cell')} looked worse than ${than}; ${some}re-measured against ${shortCommit(baseCommit)}: ${counts.join(', ')}`,
    ...(spared.length === 0
      ? []
      : [
          `one regression is enough, so ${namesText(spared)} ${spared.length === 1 ? 'was' : 'were'} not re-measured`,
        ]),
  ];
}

/**
 * Which measurement the figures of re-measured cells come from, since their values do not show their change; empty if
 * none of these rows has such figures.
 */
export function remeasuredFigures(
  { comparison, cells, groups }: Verdict,
  entries: readonly (readonly Pick<Row<unknown>, 'metric'>[])[],
): readonly string[] {
  const confirmed = comparison.kind === 'none' ? undefined : comparison.confirmed;
  if (confirmed === undefined) return [];
  const again = new Set(confirmed.cells.map(({ name }) => name));
  const repeated = [
    ...cells.filter((cell) => again.has(cellName(cell))),
    ...groups.filter((group) => group.cells.every((name) => again.has(name))),
  ];
  const figures = new Set(repeated.flatMap((row) => row.metrics));
  if (!entries.flat().some(({ metric }) => metric !== undefined && figures.has(metric))) return [];
  const where = confirmed.spoiled === undefined ? '' : ' if that can be trusted';
  return [
    `In re-measured cells, times and failures are those of the second measurement${where}, and changes of times are those of both.`,
  ];
}

/** The outcome as the verdict sentence names it. */
function outcomeWord(outcome: Outcome | null): string {
  return outcome === 'coarse' ? 'pass, coarse' : `${outcome}`;
}

type StoredOutcome = NonNullable<Extract<Comparison, { kind: 'side-by-side' }>['stored']>;

/** The outcome against the stored runs, and why it differs from the judged one. */
function storedOutcome(judged: Outcome, { outcome, regressed }: StoredOutcome): string {
  const cells = regressed.length === 0 ? '' : ` in ${namesText(regressed)}`;
  if (outcome === judged) return `the outcome is the same: ${outcomeWord(outcome)}${cells}`;
  return outcome === 'regression'
    ? `it would be a regression${cells}: this machine or the base commit is slower than those runs. If another run repeats this, find the commit that made base slower`
    : `the outcome would be ${outcomeWord(outcome)}; only an interleaved base commit runs under the same conditions as head`;
}

/** What other comparisons than the judged one came to; empty if none was made. */
export function comparisonNotes(verdict: Verdict): readonly string[] {
  const { comparison } = verdict;
  if (comparison.kind === 'none') return [];
  if (comparison.kind === 'stored') {
    return comparison.unconfirmed
      ? [
          'the second measurement did not confirm all of this. It ran in the job of the pull request, so it cannot clear what the stored runs prove',
        ]
      : remeasuredNotes(comparison);
  }
  const { mismatches, stored, baseCommit } = comparison;
  const notes: string[] = [];
  if (mismatches !== undefined) {
    notes.push(
      `no stored run is comparable, so every cell was measured interleaved with ${shortCommit(baseCommit)} on this machine`,
    );
  }
  if (stored?.outcome === null) {
    notes.push('no stored run is comparable, so the base commit is the only comparison');
  } else if (stored !== undefined) {
    notes.push(`compared with the stored baseline, ${storedOutcome(verdict.outcome, stored)}`);
  }
  return [...notes, ...remeasuredNotes(comparison)];
}

function shortCommit(commit: string): string {
  return commit === '' ? 'no commit' : commit.slice(0, 8);
}

/** `2026-01-31 10:12 UTC` for an ISO time. */
function shortTime(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
}

/** One note for each comparable run that was left out because it lies far from the others. */
export function outlierNotes({ comparison }: Verdict): readonly string[] {
  const outlying = comparison.kind === 'stored' ? (comparison.outlying ?? []) : [];
  return outlying.map(
    ({ runId, metric, change }) =>
      `${runId}: ${metrics[metric].title} of all cells is ${formatChange(change)} from the median of the stored runs`,
  );
}

/** Where the figures come from: commits, rounds, machine and versions, as labels and texts. */
export function provenance(verdict: Verdict): readonly (readonly [string, string])[] {
  const { code, fingerprint, suite, seconds, runId } = verdict;
  const { runner, cpuModel, cpuCount, memoryGiB, os, stack, k6 } = fingerprint;
  const branch = code.branch === '' ? '' : ` on ${code.branch}`;
  const dirty = code.dirty ? ', with uncommitted changes' : '';
  const rounds = Math.max(0, ...verdict.cells.map(({ head }) => head.blocks));
  const versions = Object.entries(fingerprint.versions).map(([name, version]) => `${name} ${version}`);
  return [
    ['head', `${shortCommit(code.commit)}${branch}${dirty}`],
    ['base', baseText(verdict.comparison)],
    [
      'run',
      `${runId}: suite ${suite}, ${rounds === 0 ? '' : `${countOf(rounds, 'round')}, `}${formatSeconds(seconds)}`,
    ],
    ['machine', `${runner}: ${cpuModel}, ${countOf(cpuCount, 'core')}, ${memoryGiB} GiB, ${os}`],
    ['with', [`${stack} stack`, `k6 ${k6}`, ...versions].join(', ')],
  ];
}
