import { type MetricName, metricNames, metrics } from '../../model/metric.ts';
import { type Pin, withPinned } from '../../model/pin.ts';
import type { Fingerprint, Run } from '../../model/run.ts';
import { figuresByCell } from '../../model/run-figures.ts';
import { formatFigure } from '../format/figure.ts';
import type { Paint } from '../format/paint.ts';
import { countOf } from '../format/phrase.ts';
import { plainText } from '../format/plain-text.ts';
import { renderTable, type TableRow, wrap } from '../format/text-layout.ts';

/** A run that a store holds, or that only a pin holds. */
export interface StoredRun {
  readonly run: Run;
  /** Names that keep it. */
  readonly pins: readonly string[];
  /** False if only a pin holds it, so that nothing is compared with it. */
  readonly compared: boolean;
}

export interface StoredRunsOptions {
  readonly width: number;
  readonly paint: Paint;
}

/** Every stored run once, oldest first. */
export function storedRunsOf(runs: readonly Run[], pins: readonly Pin[]): readonly StoredRun[] {
  const stored = new Set(runs.map(({ id }) => id));
  return withPinned(runs, pins).map((run) => ({
    run,
    pins: pins.filter((pin) => pin.run.id === run.id).map(({ name }) => name),
    compared: stored.has(run.id),
  }));
}

/** The machine in a few words: `ubuntu24 X64: EPYC 9R14, 2 cores`. */
export function shortMachine({ runner, cpuModel, cpuCount }: Fingerprint): string {
  const model = cpuModel.replace(/\((?:R|TM)\)|\b(?:AMD|Intel|CPU|Processor|\d+-Core)\b|@.*$/g, '').trim();
  return plainText(`${runner}: ${model.replace(/\s+/g, ' ')}, ${countOf(cpuCount, 'core')}`, 60);
}

/** A list of stored runs for a terminal, newest first. */
export function storedRunsText(
  place: string,
  stored: readonly StoredRun[],
  { width, paint }: StoredRunsOptions,
): string {
  if (stored.length === 0) return `${plainText(place)} holds no run.\n`;
  const rows = stored.toReversed().map(({ run, pins, compared }): TableRow => {
    const cells = [...figuresByCell(run).values()];
    const overCells = (name: MetricName) =>
      summary(
        name,
        cells.flatMap((figures) => figures[name] ?? []),
      );
    const style = compared ? {} : ({ style: 'dim' } as const);
    return [
      { text: plainText(run.id), ...style },
      { text: run.startedAt.slice(0, 16).replace('T', ' ') },
      { text: run.code.commit.slice(0, 8) },
      { text: plainText(run.suite, 20) },
      { text: String(run.cells.length) },
      { text: overCells('p95') },
      { text: overCells('tps') },
      { text: overCells('errorRate') },
      { text: pins.join(', '), style: 'cyan' },
      { text: shortMachine(run.fingerprint), style: 'dim' },
    ];
  });
  const onlyPinned = stored.filter(({ compared }) => !compared).length;
  const notes = [
    `${plainText(place)}: ${countOf(stored.length, 'run')}, newest first. p95 and TPS are geometric means over cells, errors the highest of a cell.`,
    ...(onlyPinned === 0
      ? []
      : [`Checks no longer compare with ${countOf(onlyPinned, 'run')} that only a pin keeps.`]),
  ];
  return `${[
    ...renderTable({ columns: listColumns, rows }, width, paint),
    '',
    ...notes.flatMap((note) => wrap(note, width)).map((line) => paint('dim', line)),
  ].join('\n')}\n`;
}

const listColumns = [
  { title: 'run', align: 'left' },
  { title: 'started (UTC)', align: 'left', optional: true },
  { title: 'commit', align: 'left' },
  { title: 'suite', align: 'left', optional: true },
  { title: 'cells', align: 'right', optional: true },
  { title: 'p95', align: 'right' },
  { title: 'TPS', align: 'right' },
  { title: 'errors', align: 'right' },
  { title: 'pinned', align: 'left' },
  { title: 'machine', align: 'left', optional: true },
] as const;

/** The geometric mean of times and rates; the greatest share. */
function summary(name: MetricName, values: readonly number[]): string {
  if (values.length === 0) return '';
  if (metrics[name].scale === 'share') return formatFigure(name, Math.max(...values));
  const logs = values.map((value) => Math.log(value));
  return formatFigure(name, Math.exp(logs.reduce((sum, log) => sum + log, 0) / logs.length));
}

/** Every cell of a stored run with its figures, for a terminal. */
export function storedRunText(
  { run, pins, compared }: StoredRun,
  { width, paint }: StoredRunsOptions,
): string {
  const { fingerprint, code } = run;
  const columns = [
    { title: 'cell', align: 'left' } as const,
    ...metricNames.map((name) => ({ title: metrics[name].title, align: 'right' }) as const),
    { title: 'blocks', align: 'right', optional: true } as const,
  ];
  const rows = [...figuresByCell(run)].map(([name, figures], index): TableRow => {
    const blocks = run.cells[index]?.blocks ?? [];
    const clean = blocks.filter(({ invalid }) => invalid.length === 0).length;
    return [
      { text: plainText(name) },
      ...metricNames.map((metric) => {
        const value = figures[metric];
        return { text: value === undefined ? '-' : formatFigure(metric, value) };
      }),
      { text: clean === blocks.length ? String(clean) : `${clean} of ${blocks.length}` },
    ];
  });
  const facts: readonly (readonly [string, string])[] = [
    ['commit', `${code.commit || '(none)'} on ${code.branch}${code.dirty ? ', with changes' : ''}`],
    ['started', `${run.startedAt}, suite ${run.suite}`],
    ['machine', `${shortMachine(fingerprint)}, ${fingerprint.memoryGiB} GiB, ${fingerprint.os}`],
    ['load', `${fingerprint.loadHash.slice(0, 12)}, data ${fingerprint.dataKey.slice(0, 12) || '(none)'}`],
    ['pinned', pins.join(', ') || 'no'],
    ...(compared ? [] : [['compared', 'no longer, only a pin keeps it'] as const]),
    ...run.invalid.map(({ code: reason, cause }) => ['invalid', `${reason}: ${cause}`] as const),
  ];
  return `${[
    paint('bold', plainText(run.id)),
    ...renderTable({ columns, rows }, width, paint),
    '',
    ...facts
      .flatMap(([label, text]) => wrap(plainText(text), width, label.padEnd(10), ' '.repeat(10)))
      .map((line) => paint('dim', line)),
  ].join('\n')}\n`;
}

/** The same facts as JSON, for other programs. */
export function storedRunsJson(stored: readonly StoredRun[]): string {
  const runs = stored.toReversed().map(({ run, pins, compared }) => ({
    id: run.id,
    startedAt: run.startedAt,
    commit: run.code.commit,
    branch: run.code.branch,
    suite: run.suite,
    fingerprint: run.fingerprint,
    pins,
    compared,
    cells: Object.fromEntries(figuresByCell(run)),
  }));
  return `${JSON.stringify(runs, null, 2)}\n`;
}
