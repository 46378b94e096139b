import { htmlText } from '../format/html-text.ts';

const label = 'performance';

/** State of the default branch: that of its newest run. */
export const badges = {
  pass: { message: 'no regression', color: 'brightgreen', fill: '#176f2c' },
  regression: { message: 'regression', color: 'red', fill: '#b42318' },
  accepted: { message: 'accepted', color: 'blue', fill: '#0969da' },
  undecided: { message: 'cannot tell', color: 'yellow', fill: '#8a5a00' },
  unknown: { message: 'not compared', color: 'lightgrey', fill: '#59636e' },
} as const;
export type BadgeState = keyof typeof badges;

/** What shields.io reads from an address (https://shields.io/badges/endpoint-badge). */
export function badgeJson(state: BadgeState): string {
  const { message, color } = badges[state];
  return `${JSON.stringify({ schemaVersion: 1, label, message, color })}\n`;
}

/** The same as a picture of its own. */
export function badgeSvg(state: BadgeState): string {
  const { message, fill } = badges[state];
  // Widths of Verdana at 11 pixels, about 6.2 per letter; textLength makes other fonts fit.
  const widthOf = (text: string) => Math.round(text.length * 6.2) + 12;
  const [left, right] = [widthOf(label), widthOf(message)];
  const text = (words: string, x: number, width: number) =>
    `<text x="${x + width / 2}" y="14" textLength="${width - 12}" text-anchor="middle">${htmlText(words)}</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${label}: ${message}">`,
    `<title>${label}: ${message}</title>`,
    `<clipPath id="r"><rect width="${left + right}" height="20" rx="3"/></clipPath>`,
    `<g clip-path="url(#r)"><rect width="${left}" height="20" fill="#3d444d"/><rect x="${left}" width="${right}" height="20" fill="${fill}"/></g>`,
    `<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">${text(label, 0, left)}${text(message, left, right)}</g>`,
    '</svg>',
    '',
  ].join('\n');
}
