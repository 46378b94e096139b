import type { Point } from '../../model/point.ts';
import type { CheckRecord, MeasuredSide } from '../../model/record.ts';
import type { LoadSeries } from '../../model/series.ts';
import { plainText } from '../format/plain-text.ts';
import { type SeriesPart, seriesPoints } from './series-points.ts';
import { tagValue } from './tag.ts';
import { verdictPoints } from './verdict-points.ts';

/** What a load is part of. */
export interface MeasuredRun {
  /** The check's id. */
  readonly id: string;
  readonly commit: string;
}

/** Seconds of a load that still runs. The points of the whole record repeat them. */
export function secondsPoints(
  series: LoadSeries,
  { id, commit }: MeasuredRun,
  { gate, suite }: { readonly gate: string; readonly suite: string },
): readonly Point[] {
  const fields = { run: plainText(id), commit: plainText(commit) };
  return seriesPoints([{ series: [series], fields }], { gate: tagValue(gate), suite: tagValue(suite) });
}

/** Everything that a check measured and decided, the verdict first. `gate` is the service's name in gate.yml. */
export function recordPoints(record: CheckRecord, gate: string): readonly Point[] {
  const { verdict, head, base, again } = record;
  const tags = { gate: tagValue(gate), suite: tagValue(verdict.suite) };
  const run = plainText(verdict.runId);
  // Reports name a pull request's own commit, and what was measured may be the merge of it.
  const ofHead = { run, commit: plainText(verdict.code.commit) };
  const part = ({ run: measured, series }: MeasuredSide): SeriesPart => {
    const commit = measured.code.commit;
    return { series, fields: { run, commit: commit === head.run.code.commit ? ofHead.commit : commit } };
  };
  const parts = [head, base, again?.head, again?.base].filter((side) => side !== undefined);
  return [...verdictPoints(record, tags, ofHead), ...seriesPoints(parts.map(part), tags)];
}
