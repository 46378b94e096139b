import type { Verdict } from '../../model/verdict.ts';
import {
  capitalised,
  countOf,
  listed,
  longestCellName,
  longestName,
  type Phrase,
  type PhrasePart,
  withStop,
} from '../format/phrase.ts';
import { acceptedNotes } from './accepted.ts';
import { cellsIn } from './cell-state.ts';
import { circumstances, headline } from './headline.ts';
import { likelyCauses } from './likely-cause.ts';
import { nextSteps } from './next-step.ts';
import { notableRows } from './notable-rows.ts';
import { plainSentence } from './plain-sentence.ts';
import {
  type ContentOptions,
  type Depth,
  judgingItems,
  reportContent,
  sinceItems,
} from './report-content.ts';
import type { Report, Section } from './report-parts.ts';
import { withShortNames } from './short-names.ts';

const longestReason = 300;
const mostChanges = 5;
const mostAcceptances = 5;

/** A whole SHA-1 or SHA-256, which a code host can show. */
const wholeCommit = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

function commitPart(commit: string, repositoryUrl: string | undefined): PhrasePart {
  const short = commit.slice(0, 8);
  return repositoryUrl !== undefined && wholeCommit.test(commit)
    ? { link: short, address: `${repositoryUrl}/commit/${commit}` }
    : { literal: short };
}

/** `1a2b3c4d compared with 9f8e7d6c. Full report: the run's summary`, with links as far as pages are known. */
function origin(verdict: Verdict, { repositoryUrl }: ContentOptions, fullReport: Phrase): Phrase {
  const { code, comparison } = verdict;
  const head: Phrase = code.commit === '' ? [] : ['Commit ', commitPart(code.commit, repositoryUrl)];
  const stored = comparison.kind === 'stored' ? comparison.base : [];
  const commit = comparison.kind === 'side-by-side' ? comparison.baseCommit : stored.at(-1)?.commit;
  const earlier =
    stored.length > 1 ? ` and ${countOf(stored.length - 1, 'earlier run')} of the base branch` : '';
  const base: Phrase =
    commit === undefined || commit === '' || head.length === 0
      ? []
      : [' compared with ', commitPart(commit, repositoryUrl), earlier];
  return [...head, ...base, ...(head.length === 0 ? [] : ['. ']), 'Full report: ', ...fullReport];
}

function unjudged(verdict: Verdict): Phrase {
  const count = cellsIn(verdict, 'invalid').length + cellsIn(verdict, 'noise').length;
  return verdict.outcome !== 'regression' || count === 0
    ? []
    : [` ${countOf(count, 'other cell')} could not be measured.`];
}

function listSection(title: string, items: readonly Phrase[]): Section<Phrase>[] {
  const entries = items.map((item) => [{ cells: [item] }]);
  return entries.length === 0 ? [] : [{ part: 'notes', title, columns: [], entries }];
}

/** The step as a sentence of its own. */
function asSentence(step: Phrase): Phrase {
  const [first, ...rest] = step;
  if (first === undefined) return [];
  const opening = typeof first === 'string' ? capitalised(first) : first;
  const isCommand = typeof first !== 'string';
  return [...(isCommand ? ['Run '] : []), opening, ...rest, '.'];
}

/** Who accepted which rows, until when and why; empty if nobody did. */
function acceptances({ accepted = [] }: Verdict): readonly Phrase[] {
  const groups = Map.groupBy(accepted, ({ by, until, reason }) => JSON.stringify([by, until, reason]));
  const said = [...groups.values()].map((rows): Phrase => {
    const [first] = rows;
    if (first === undefined) return [];
    return [
      { strong: 'Accepted' },
      ' by ',
      { literal: first.by ?? 'gate.yml' },
      ` until ${first.until}. Reason: `,
      { text: withStop(first.reason), longest: longestReason },
      ' It covers ',
      ...listed(
        rows.map(
          ({ cell, metric }): Phrase => [
            { literal: `${cell} ${metric}`, longest: longestCellName + 1 + longestName },
          ],
        ),
      ),
      '.',
    ];
  });
  const hidden = said.length - mostAcceptances;
  const more: Phrase[] = hidden > 0 ? [[`${countOf(hidden, 'more acceptance')}.`]] : [];
  return [...said.slice(0, mostAcceptances), ...more];
}

/** What the change does to judging, which decides how far the verdict can be relied on; empty if nothing. */
function judging(verdict: Verdict): readonly Phrase[] {
  const items = judgingItems(verdict);
  if (items.length === 0) return [];
  const opening: Phrase =
    verdict.judgedByDefaultBranch === true
      ? [
          { strong: "Judged by the default branch's limits" },
          ', because this pull request changes how it is judged: ',
        ]
      : [{ strong: 'Note' }, ': this pull request also changes how it is judged: '];
  const hidden = items.length - mostChanges;
  const shown = items.slice(0, mostChanges).flatMap((item, index) => (index === 0 ? item : ['; ', ...item]));
  return [[...opening, ...shown, ...(hidden > 0 ? [` and ${hidden} more`] : []), '.']];
}

/** What a pull request shows: the verdict, what decided it, its likely cause and the next step, and all else folded. */
export function pullRequestContent(
  untrusted: Verdict,
  options: ContentOptions,
  depth: Depth,
): Report<Phrase> {
  const verdict = withShortNames(untrusted);
  const { sections, fullReport, ...report } = reportContent(untrusted, options, depth);
  const { icon, word, rest } = plainSentence(verdict, options.storedIn);
  // The table and the likely cause already explain a regression.
  const because =
    verdict.outcome === 'regression' || verdict.outcome === 'accepted'
      ? [...acceptedNotes(verdict), ...circumstances(verdict)]
      : headline(verdict, options).because;
  const folded = sections.map((section) => ({
    ...section,
    folded: true,
    ...(section.part === 'changed'
      ? ({ part: 'folded', title: 'All figures with their limits' } as const)
      : {}),
  }));
  const rows = notableRows(verdict);
  return {
    ...report,
    fullReport,
    sentence: [`${icon} `, { strong: word }, ...rest, ...unjudged(verdict)],
    steps: nextSteps(verdict, options).map(asSentence),
    because: [...acceptances(verdict), ...judging(verdict), origin(verdict, options, fullReport)],
    sections: [
      ...(rows.entries.length === 0 ? [] : [{ part: 'changed' as const, title: 'What changed', ...rows }]),
      ...listSection('Likely cause', likelyCauses(verdict)),
      ...listSection('Worse than in a pinned release', sinceItems(verdict).slice(0, mostChanges)),
      ...listSection(
        'How it was judged',
        because.map((text) => [{ text }]),
      ).map((section) => ({
        ...section,
        folded: true,
      })),
      ...folded,
    ],
  };
}
