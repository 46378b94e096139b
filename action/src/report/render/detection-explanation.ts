import type { Explanation } from '../../model/detection.ts';
import { countOf } from '../format/phrase.ts';
import { rateText, table } from './detection-cells.ts';

const valueText = (value: number) => String(Number(value.toPrecision(4)));

/** The checks of a rule as a table, with the rate that they add up to. */
export function explanationReport({ rule, scene, red, checks }: Explanation): string {
  const redChecks = checks.filter(({ outcome }) => outcome === 'regression');
  return [
    table(
      [
        ['head', 'compared with', 'changed', 'worst figure', 'base', 'head', 'times the limit', 'outcome'],
        ...checks.map(({ head, base, changed, outcome, worst }) => [
          head,
          base.join(' '),
          changed,
          worst?.name ?? '',
          (worst?.base ?? []).map(valueText).join(' '),
          (worst?.head ?? []).map(valueText).join(' '),
          worst === undefined ? '' : worst.score.toFixed(2),
          outcome,
        ]),
      ],
      8,
    ),
    '',
    `${rule}, ${scene}: red in ${redChecks.length} of ${countOf(checks.length, 'check')}, which is ${rateText(red)}.`,
    '',
  ].join('\n');
}
