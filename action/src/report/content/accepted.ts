import { metricNames, metrics } from '../../model/metric.ts';
import { cellName } from '../../model/run.ts';
import type { AcceptedRow, CellVerdict, SignalChange, Verdict } from '../../model/verdict.ts';
import { allCells } from '../../model/waiver.ts';
import { formatPoints, formatShare } from '../format/number.ts';
import { countOf } from '../format/phrase.ts';
import type { Headline } from './headline-text.ts';

/** `browse@peak: p95 worse by 34%`. */
function acceptedText({ cell, metric, growth }: AcceptedRow): string {
  const where = cell === allCells ? 'all cells' : cell;
  const name = metricNames.find((one) => one === metric);
  const format = name === 'errorRate' ? formatPoints : formatShare;
  const what = name === undefined ? metric : metrics[name].title;
  return `${where}: ${what} ${growth === null ? 'grew from 0' : `worse by ${format(growth)}`}`;
}

/** Who accepted a row, until when and why; the same for rows that were accepted together. */
function termsOf({ by, until, reason }: AcceptedRow): string {
  return `${by === undefined ? 'gate.yml' : by} until ${until}: ${reason}`;
}

/** Costs of the cell that somebody accepted. They no longer fail it. */
export function acceptedSignals({ accepted = [] }: Verdict, cell: CellVerdict): readonly SignalChange[] {
  const name = cellName(cell);
  return cell.signals.filter((signal) =>
    accepted.some((row) => row.cell === name && row.metric === signal.name),
  );
}

/** What was accepted, one sentence per acceptance. */
export function acceptedNotes({ accepted = [] }: Verdict): readonly string[] {
  return [...Map.groupBy(accepted, termsOf)].map(
    ([terms, rows]) => `${rows.map(acceptedText).join('; ')} — accepted by ${terms}`,
  );
}

/** A check in which somebody accepted all that regressed. */
export function acceptedHeadline(verdict: Verdict): Headline {
  const rows = verdict.accepted ?? [];
  const [by = 'gate.yml', ...others] = new Set(rows.map((row) => row.by ?? 'gate.yml'));
  const until = rows.map((row) => row.until).toSorted()[0];
  return {
    word: 'Accepted',
    rest: `: ${countOf(rows.length, 'row')}, by ${[by, ...others].join(' and ')} until ${until}; nothing else regressed`,
    because: acceptedNotes(verdict),
  };
}
