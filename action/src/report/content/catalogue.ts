import {
  anyCell,
  type CatalogueReport,
  type CatalogueRow,
  catalogueResults,
  isBad,
  isOpen,
} from '../../model/catalogue.ts';
import { countOf, listed } from '../format/phrase.ts';
import { shorten } from '../format/text-layout.ts';
import { type Finding, type FindingTable, identityFacts } from './finding.ts';

interface CatalogueOptions {
  /** What starts it. */
  readonly command: string;
  /** Path of the report of a check, with NAME for that of the regression. */
  readonly pages: string;
}

/** A catalogue of regressions in words and a table. */
export function catalogueFinding(report: CatalogueReport, { command, pages }: CatalogueOptions): Finding {
  const { rows, left, partial } = report;
  const isDone = left === 0 && partial === undefined;
  const others = rows.filter((row) => isBad(row) || isOpen(row));
  return {
    title: 'Catalogue of regressions',
    sentence: sentenceOf(rows),
    state: others.some(isBad) ? 'regression' : others.length === 0 && isDone ? 'pass' : 'undecided',
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
        text: `each patch checked as a pull request on top of this commit, ${minutesText(rows)} in all`,
      },
      { label: 'reports', text: pages },
    ],
    nextSteps:
      others.length === 0
        ? []
        : [
            `${command} --again ${others.map(({ name }) => name).join(' ')}; read the pages of these checks first`,
          ],
  };
}

/** `of 24 regressions, 20 caught, 3 as expected, 1 missed.` */
export function sentenceOf(rows: readonly Pick<CatalogueRow, 'result'>[]): string {
  const counts = catalogueResults
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
  const left = (title: string, optional = false) => ({ title, align: 'left', optional }) as const;
  return {
    title: 'Regressions',
    columns: [
      left('regression'),
      left('result'),
      left('red'),
      { title: 'min', align: 'right' },
      left('must turn red', true),
      left('cause', true),
      left('what the patch does', true),
    ],
    rows: rows.map((row) => ({
      cells: [
        row.name,
        row.result,
        row.red.length > 0 ? redText(row.red, row.spared) : (row.outcome ?? ''),
        row.minutes?.toFixed(1) ?? '',
        expectedText(row.expect, row.wanted),
        shorten(row.cause ?? '', longestCause),
        row.title,
      ],
      ...(isBad(row) || isOpen(row) ? { state: 'bad' as const } : {}),
    })),
    note: 'The cause is what the verdict names: the expected words, or else its first sentence about it.',
  };
}

/** What must turn red. */
export function expectedText(expect: CatalogueRow['expect'], wanted: readonly string[]): string {
  return expect === 'regression' ? scenariosText(wanted, 'any') : `none (${expect})`;
}

const longestCause = 60;
const mostScenarios = 2;

/** What turned red, and what else looked worse. */
export function redText(red: readonly string[], spared: readonly string[] = []): string {
  const named = new Set(red.map(scenarioOf));
  const others = spared.filter((name) => !named.has(scenarioOf(name)));
  const notAgain = others.length === 0 ? '' : `; not re-measured: ${scenariosText(others)}`;
  return `${scenariosText(red, 'all cells together')}${notAgain}`;
}

function scenarioOf(name: string): string {
  return name.replace(/@.*/, '');
}

/** `trip-edit, plan-edit and 1 more`: the cells are in the JSON file. */
function scenariosText(names: readonly string[], any: string = anyCell): string {
  const scenarios = new Set(names.map((name) => (name === anyCell ? any : scenarioOf(name))));
  return listed(
    [...scenarios].map((name) => [name]),
    mostScenarios,
  ).join('');
}
