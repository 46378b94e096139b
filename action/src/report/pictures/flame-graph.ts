import { htmlText } from '../format/html-text.ts';
import { formatShare } from '../format/number.ts';
import { countOf } from '../format/phrase.ts';
import { plainText } from '../format/plain-text.ts';
import { shorten, truncate } from '../format/text-layout.ts';
import type { Change, ChangedFrame, FlameFrame } from './flame-frames.ts';
import { element, figure, legendEntry } from './markup.ts';

const width = 1180;
const rowHeight = 18;
/** Of a letter of the labels, which all have one width. */
const letterWidth = 6.65;
/** A label with fewer letters says nothing. */
const shortestLabel = 4;
export const longestMethod = 160;

/** Colours are not the only sign of a change. */
const marks: Readonly<Record<Change, string>> = {
  'grew-much': '▲ ',
  grew: '▲ ',
  same: '',
  shrank: '▼ ',
  'shrank-much': '▼ ',
};

/** `PlanRepository.find` of `shop.trips.PlanRepository.find`. */
function withoutPackage(name: string): string {
  return name.split('.').slice(-2).join('.');
}

/** A method as text of one line. */
function methodText(name: string): string {
  return shorten(plainText(name, 2 * longestMethod).trim(), longestMethod) || '(no name)';
}

function sharesText({ base, head }: Pick<ChangedFrame, 'base' | 'head'>): string {
  return `${formatShare(base)} → ${formatShare(head)}`;
}

/**
 * Head's CPU by call stack, callers above what they call, coloured by the change from base. The page's script reads names
 * and figures from the titles, and zooms by moving the rectangles. Empty without frames.
 */
export function flameGraph(
  frames: readonly FlameFrame[],
  { grown, shrunk }: Readonly<Record<'grown' | 'shrunk', readonly ChangedFrame[]>>,
  cell: string,
): string {
  if (frames.length === 0) return '';
  const height = rowHeight * (1 + Math.max(...frames.map(({ row }) => row)));
  const said = (title: string, changed: readonly ChangedFrame[]) =>
    changed.length === 0
      ? []
      : [
          `${title}: ${changed
            .slice(0, 3)
            .map((one) => `${methodText(one.name)} ${sharesText(one)}`)
            .join(', ')}`,
        ];
  const inWords = [
    `CPU of head by call stack, ${countOf(frames.length, 'frame')}`,
    ...said('Grew', grown),
    ...said('Shrank', shrunk),
    ...(grown.length + shrunk.length === 0 ? ['No method changed beyond chance'] : []),
  ].join('. ');
  return element(
    'div',
    {
      class: 'flame',
      tabindex: 0,
      role: 'group',
      'aria-label': `Flame graph of ${cell}. Arrow keys go from method to method, Enter zooms, 0 shows everything.`,
    },
    element('p', { class: 'note reading', 'aria-live': 'polite' }, ''),
    figure(
      {
        title: 'CPU of head by call stack',
        note: 'callers above what they call; base → head in shares of the samples of each',
        inWords,
      },
      [
        legendEntry('grew-much', '▲ grew'),
        legendEntry('same', 'same, within chance'),
        legendEntry('shrank-much', '▼ shrank'),
      ],
      (label) => element('svg', { viewBox: `0 0 ${width} ${height}`, ...label }, ...frames.map(frameMarkup)),
    ),
  );
}

function frameMarkup(frame: FlameFrame): string {
  const { names, row, from, to, change } = frame;
  const [first = '', last = first] = [names[0], names.at(-1)].map((name) => methodText(name ?? ''));
  const several = names.length > 1 ? ` (${names.length} frames)` : '';
  const title = `${marks[change]}${names.length > 1 ? `${first} to ` : ''}${last}${several}: ${sharesText(frame)}`;
  const label = `${marks[change]}${withoutPackage(last)}${several} ${sharesText(frame)}`;
  const [x, wide] = [from * width, (to - from) * width];
  const letters = Math.floor((wide - 6) / letterWidth);
  const y = row * rowHeight;
  return element(
    'g',
    { class: change },
    element('title', {}, htmlText(title)),
    element('rect', { x, y, width: wide, height: rowHeight - 1 }),
    ...(letters < shortestLabel
      ? []
      : [element('text', { x: x + 3, y: y + 13 }, htmlText(truncate(label, letters)))]),
  );
}
