import type { Point } from '../../model/point.ts';
import type { CheckRecord, MeasuredSide } from '../../model/record.ts';
import { plainText } from '../format/plain-text.ts';
import { type SeriesPart, seriesPoints } from './series-points.ts';
import { tagValue } from './tag.ts';
import { verdictPoints } from './verdict-points.ts';

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
  return [
    ...verdictPoints(verdict, Date.parse(head.run.finishedAt), tags, ofHead),
    ...seriesPoints(parts.map(part), tags),
  ];
}
