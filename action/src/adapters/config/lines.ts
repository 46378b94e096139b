import { LineCounter, parseDocument } from 'yaml';
import { find, valueAt } from './problem.ts';

/** A line of a file in the repository, counted from 1. */
interface Place {
  readonly file: string;
  readonly line: number;
}

/**
 * Finds the line of a configuration that defines a cell: its load, else its scenario. For the whole run and for an
 * unknown cell it is the line of the suite. `text` must be a valid configuration.
 */
export function configLines(
  text: string,
  file: string,
  suite: string,
): (cell: { readonly scenario: string; readonly load: string } | undefined) => Place | undefined {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, stringKeys: true, logLevel: 'error' });
  const data: unknown = document.toJS();
  const lineOf = (path: readonly string[]): Place | undefined =>
    valueAt(data, path) !== undefined
      ? { file, line: lines.linePos(find(document, path).keyOffset).line }
      : undefined;
  return (cell) => {
    const scenario = cell === undefined ? undefined : ['scenarios', cell.scenario];
    return (
      (cell && scenario && lineOf([...scenario, 'loads', cell.load])) ??
      (scenario && lineOf(scenario)) ??
      lineOf(['suites', suite])
    );
  };
}
