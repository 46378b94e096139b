import { markdownTable } from 'markdown-table';
import type { Detection, Rate, RuleAnswers } from '../../model/detection.ts';

const widths = { stringLength: (text: string) => text.length, alignDelimiters: false } as const;

/** A table whose first columns are text and whose others are numbers. */
export function table(rows: readonly (readonly string[])[], texts = 1): string {
  const columns = rows[0]?.length ?? 0;
  const align = Array.from({ length: columns }, (_, at) => (at < texts ? 'l' : 'r'));
  return markdownTable(
    rows.map((row) => [...row]),
    { ...widths, align, padding: true },
  );
}

/** Rates below a tenth have a digit after the point. */
export function shareText(share: number): string {
  const points = 100 * share;
  return points > 0 && points < 9.95 ? `${points.toFixed(1)}%` : `${Math.round(points)}%`;
}

/** The bounds have a digit after the point where the share has one. */
export function rateText({ rate, low, high }: Rate): string {
  const bound = (share: number) => (100 * high < 9.95 ? (100 * share).toFixed(1) : (100 * share).toFixed(0));
  return `${shareText(rate)} [${bound(low)}, ${bound(high)}]`;
}

const couldNot = ['undecided', 'noise', 'invalid', 'cannot'];

export function couldNotShare({ outcomes }: RuleAnswers): number {
  return couldNot.reduce((sum, name) => sum + (outcomes[name] ?? 0), 0);
}

export function titleOf({ rules }: Detection, name: string): string {
  const rule = rules.find((one) => one.name === name);
  if (rule === undefined) return name;
  return rule.source === undefined ? `**${rule.title}**` : `[${rule.title}](${rule.source})`;
}
