import {
  type CatalogueReport,
  type CatalogueResult,
  type CatalogueRow,
  results,
} from '../../model/catalogue.ts';
import { countOf, namesText } from '../format/phrase.ts';
import { type Finding, type FindingTable, identityFacts } from './finding.ts';

const good: readonly CatalogueResult[] = ['caught', 'as expected'];

/** A catalogue of regressions in words and a table. */
export function catalogueFinding(report: CatalogueReport): Finding {
  const { rows, left, partial } = report;
  const isDone = left === 0 && partial === undefined;
  const others = rows.filter(({ result }) => !good.includes(result));
  return {
    title: 'Catalogue of regressions',
    sentence: sentenceOf(rows),
    state: others.some(({ result }) => result !== 'no answer' && result !== 'failed')
      ? 'regression'
      : others.length === 0 && isDone
        ? 'pass'
        : 'undecided',
    because: [
      ...(isDone
        ? []
        : [`${countOf(left, 'regression')} not checked yet${partial === undefined ? '' : `: ${partial}`}.`]),
      ...others.map(({ name, result, why }) => `${name}: ${result}${why === undefined ? '' : `, ${why}`}.`),
      ...rows
        .filter(({ result, because }) => result === 'as expected' && because !== undefined)
        .map(({ name, because = '' }) => `${name} is not expected to turn red: ${because}`),
    ],
    tables: [tableOf(rows)],
    charts: [],
    facts: [
      ...identityFacts(report),
      {
        label: 'checks',
        text: `each patch is committed on top of the commit and checked as a pull request is, ${minutesText(rows)} in all`,
      },
    ],
    nextSteps:
      others.length === 0
        ? []
        : [
            `./gate catalogue --again ${others.map(({ name }) => name).join(' ')}, after a look at the pages of these checks`,
          ],
  };
}

/** `20 caught, 3 as expected and 1 missed`. */
function sentenceOf(rows: readonly CatalogueRow[]): string {
  const counts = results
    .map((result) => ({ result, count: rows.filter((row) => row.result === result).length }))
    .filter(({ count }) => count > 0)
    .map(({ result, count }) => `${count} ${result}`);
  return rows.length === 0
    ? 'nothing was checked.'
    : `of ${countOf(rows.length, 'regression')}, ${counts.join(', ')}.`;
}

function minutesText(rows: readonly CatalogueRow[]): string {
  const minutes = rows.reduce((sum, row) => sum + (row.minutes ?? 0), 0);
  return `${minutes.toFixed(0)} min`;
}

function tableOf(rows: readonly CatalogueRow[]): FindingTable {
  return {
    title: 'Regressions',
    columns: [
      { title: 'regression', align: 'left' },
      { title: 'what it does', align: 'left', optional: true },
      { title: 'must turn red', align: 'left' },
      { title: 'red', align: 'left' },
      { title: 'cause', align: 'left' },
      { title: 'result', align: 'left' },
      { title: 'min', align: 'right' },
    ],
    rows: rows.map((row) => ({
      cells: [
        row.name,
        row.title,
        row.expect === 'regression' ? namesText(row.wanted) : `none (${row.expect})`,
        row.red.length > 0 ? namesText(row.red) : (row.outcome ?? ''),
        shortened(row.cause ?? ''),
        row.result,
        row.minutes?.toFixed(1) ?? '',
      ],
      ...(good.includes(row.result) ? {} : { state: 'bad' as const }),
    })),
    note: 'The cause is what the verdict names: the expected words, or else its first sentence about it.',
  };
}

const longestCause = 60;

function shortened(text: string): string {
  return text.length > longestCause ? `${text.slice(0, longestCause - 1)}…` : text;
}
