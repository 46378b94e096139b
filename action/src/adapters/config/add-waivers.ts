import { isSeq, parseDocument, stringify } from 'yaml';
import { Fault } from '../../model/fault.ts';
import type { Waiver } from '../../model/waiver.ts';

/**
 * The text of a gate.yml with more waivers. All other lines stay as they are. The text must be a valid configuration;
 * `shown` is how messages call it.
 */
export function withAddedWaivers(text: string, waivers: readonly Waiver[], shown: string): string {
  const present = parseDocument(text).get('waivers', true);
  const added = waivers.map(waiverLines);
  if (present === undefined) {
    const items = added.map((lines) => indented(lines, 2)).join('');
    return `${text.trimEnd()}\n\nwaivers:\n${items}`;
  }
  const [first] = isSeq(present) && present.flow !== true ? present.items : [];
  const start = (first as { readonly range?: readonly number[] } | undefined)?.range?.[0];
  const end = (present as { readonly range?: readonly number[] }).range?.[1];
  if (start === undefined || end === undefined) {
    throw new Fault({
      code: 'E_WAIVERS_FLOW',
      kind: 'usage',
      place: shown,
      cause: '`waivers` is empty or written within brackets, so nothing can be added to it line by line',
      nextStep: 'remove the key, or write each waiver as an item of its own, beginning with a dash',
    });
  }
  // The item starts after its dash and a space.
  const indent = start - (text.lastIndexOf('\n', start - 1) + 1) - 2;
  const before = text.slice(0, end).trimEnd();
  return `${before}\n${added.map((lines) => indented(lines, indent)).join('')}${text.slice(end).replace(/^\n/, '')}`;
}

function waiverLines({ cell, metric, ceiling, until, reason }: Waiver): readonly string[] {
  const item = { cell, metric, ceiling: ceilingText(metric, ceiling), until, reason };
  return stringify([item], { lineWidth: 0 }).trimEnd().split('\n');
}

/** Rounded up, so that the row it was made for is within it. */
function ceilingText(metric: string, ceiling: number | null): string {
  if (ceiling === null) return 'any';
  const digits = metric === 'errorRate' ? 100 : 1;
  return `${Math.ceil(ceiling * 100 * digits) / digits}%`;
}

function indented(lines: readonly string[], spaces: number): string {
  return lines.map((line) => `${' '.repeat(spaces)}${line}\n`).join('');
}
