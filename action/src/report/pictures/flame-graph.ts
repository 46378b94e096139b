import type { CheckRecord } from '../../model/record.ts';
import { cellName } from '../../model/run.ts';
import { htmlText } from '../format/html-text.ts';
import { formatShare } from '../format/number.ts';
import { type FlameBox, flameBoxes } from './flame-tree.ts';
import { element, figure, legendEntry } from './markup.ts';

const rowHeight = 18;
/** Growth of a share that has a colour, and one that has a strong one; in percentage points. */
const [seenGrowth, largeGrowth] = [0.01, 0.05];
const classes = ['shrank-much', 'shrank', 'same', 'grew', 'grew-much'];
const legend = ['−5 points', '−1', 'as before', '+1', '+5 points'];
/** Names in words; the rest is in the drawing and in the section about the code. */
const mostSaid = 3;

/** Where the CPU time of a cell goes on head, and how that differs from base. Empty if the cell was not profiled. */
export function flameGraph(record: CheckRecord, name: string): string {
  const parts = [record.head, record.base, record.again?.head, record.again?.base];
  const profiles = parts.flatMap((part) => part?.profiles ?? []).filter((one) => cellName(one) === name);
  const [base, head] = (['base', 'head'] as const).map((side) =>
    profiles.findLast((one) => one.side === side),
  );
  if (base === undefined || head === undefined || base.sampledBy !== head.sampledBy) return '';
  const boxes = flameBoxes(base, head);
  if (boxes.length === 0) return '';
  const rows = 1 + Math.max(...boxes.map(({ row }) => row));
  return figure(
    {
      title: 'CPU by call stack',
      note: "as wide as its share of head's samples; the colour is the change since base. Click a box to zoom, the lowest row to go back.",
      inWords: inWords(boxes),
    },
    classes.map((className, index) => legendEntry(className, legend[index] ?? '')),
    (label) =>
      element(
        'svg',
        { class: 'flame', width: '100%', height: rows * rowHeight, ...label },
        ...boxes.map((box) => drawn(box, rows)),
      ),
  );
}

const percent = (share: number) => `${Number((share * 100).toFixed(3))}%`;

/** Callers are below what they call. */
function drawn({ node, row, from, to }: FlameBox, rows: number): string {
  const { names, base, head } = node;
  const points = 100 * (head - base);
  const change =
    Math.abs(head - base) < seenGrowth ? '' : ` ${points > 0 ? '+' : '−'}${Math.abs(points).toFixed(0)}`;
  return element(
    'svg',
    {
      x: percent(from),
      y: (rows - 1 - row) * rowHeight,
      width: percent(to - from),
      height: rowHeight - 1,
      'aria-hidden': 'true',
    },
    element('title', {}, htmlText(`${names.join(' → ')}: ${formatShare(base)} → ${formatShare(head)}`)),
    element('rect', { class: classOf(head - base), width: '100%', height: '100%' }),
    element('text', { x: 3, y: 13 }, htmlText(`${shortName(names)}${change}`)),
  );
}

function classOf(growth: number): string {
  const step = Math.abs(growth) >= largeGrowth ? 2 : Math.abs(growth) >= seenGrowth ? 1 : 0;
  return classes[2 + Math.sign(growth) * step] ?? '';
}

/** `Class.method`, and of a chain within libraries the first one and that there are more. */
function shortName([first = '', ...more]: readonly string[]): string {
  return `${simple(first)}${more.length === 0 ? '' : ' …'}`;
}

function simple(frame: string): string {
  return frame.split('.').slice(-2).join('.');
}

function inWords(boxes: readonly FlameBox[]): string {
  const grown = boxes
    .filter(({ node: { base, head } }) => head - base >= seenGrowth)
    .toSorted((a, b) => b.node.head - b.node.base - (a.node.head - a.node.base))
    .slice(0, mostSaid)
    .map(
      ({ node: { names, base, head } }) =>
        `${simple(names.at(-1) ?? '')} ${formatShare(base)} to ${formatShare(head)}`,
    );
  return `Flame graph of the CPU time. ${grown.length === 0 ? 'No box grew by a percentage point' : `Grew most: ${grown.join('; ')}`}`;
}
