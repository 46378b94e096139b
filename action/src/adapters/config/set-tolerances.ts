import { isMap, isScalar, type Node, parseDocument } from 'yaml';
import { type Edit, lineAfter, rangeOf, withEdits } from './edits.ts';

/**
 * The text of a gate.yml with these tolerances, as shares. All other lines stay as they are. The text must be a valid
 * configuration.
 */
export function withTolerances(text: string, tolerances: Readonly<Record<string, number>>): string {
  const wanted = Object.entries(tolerances).map(
    ([name, share]) => [name, `${Math.round(100 * share)}%`] as const,
  );
  const node = parseDocument(text).get('tolerances', true);
  const flow = `{ ${wanted.map(([name, percent]) => `${name}: ${percent}`).join(', ')} }`;
  if (!isMap(node)) return `${text.trimEnd()}\n\ntolerances: ${flow}\n`;
  const last = node.items.at(-1);
  if (last === undefined) {
    const [from, to] = rangeOf(node);
    return withEdits(text, [{ from, to, text: flow }]);
  }
  const edits = wanted.map(([name, percent]): Edit => {
    const present = node.items.find(({ key }) => isScalar(key) && key.value === name);
    if (present !== undefined) {
      const [from, to] = rangeOf(present.value as Node);
      return { from, to, text: percent };
    }
    if (node.flow !== true) {
      return lineAfter(text, last.key as Node, last.value as Node, `${name}: ${percent}`);
    }
    const [, to] = rangeOf(last.value as Node);
    return { from: to, to, text: `, ${name}: ${percent}` };
  });
  return withEdits(text, edits);
}
