import { cellName } from '../../model/run.ts';
import type { Verdict } from '../../model/verdict.ts';
import { longestName } from '../format/phrase.ts';
import { plainText, plainValue } from '../format/plain-text.ts';
import { shorten } from '../format/text-layout.ts';

/** Fields of a verdict that hold a name or several. */
const nameFields: ReadonlySet<string> = new Set([
  ...['runId', 'suite', 'branch', 'scenario', 'load', 'cell', 'cells', 'endpoints', 'name', 'regressed'],
  ...['spared', 'title', 'unit'],
]);

function short(name: string): string {
  return shorten(plainText(name), longestName);
}

/** The verdict in plain text, with names short enough that a sentence with several of them stays readable. */
export function withShortNames(untrusted: Verdict): Verdict {
  // Other parts of the verdict name a cell by its scenario and load together, so they are cut as those are.
  const cells = new Map(
    untrusted.cells.map((cell) => {
      const { scenario, load } = cell;
      return [cellName(cell), cellName({ scenario: short(scenario), load: short(load) })];
    }),
  );
  return plainValue(untrusted, (text, field) =>
    nameFields.has(field) ? (cells.get(text) ?? short(text)) : plainText(text),
  );
}
