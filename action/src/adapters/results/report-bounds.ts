/** Limit of a report's text, which is read into memory as a whole. A report of forty cells has about 1 MB. */
export const mostReportBytes = 8 * 1024 * 1024;
/** A real report never has more. A suite of 40 cells and 30 rounds has a fifth of these cells and blocks. */
const mostEntries: Readonly<Record<string, number>> = {
  cells: 200,
  blocks: 100,
  // A block has at most 500 names, one for all names past these, and one for requests that were cut off.
  endpoints: 502,
  signals: 200,
  versions: 50,
  invalid: 50,
  windows: 1_000,
  phases: 100,
};
/** Limit of any other list or object. */
const mostFields = 50;
const longestText = 1_000;
/** The latency of an endpoint is nine levels deep. */
const deepest = 12;

/**
 * Names what exceeds the size of a real report; undefined if nothing does. Callers check this first, so that a hostile
 * report costs time only in proportion to its length.
 */
export function excess(data: unknown, path: readonly string[] = []): string | undefined {
  const place = path.length === 0 ? 'report' : path.join('.');
  if (typeof data === 'string') {
    return data.length > longestText ? `${place}: longer than ${longestText} characters` : undefined;
  }
  if (typeof data !== 'object' || data === null) return undefined;
  if (path.length === deepest) return `${place}: more than ${deepest} levels deep`;
  const entries = Object.entries(data);
  const name = path.at(-1) ?? '';
  const most = Object.hasOwn(mostEntries, name) ? (mostEntries[name] ?? mostFields) : mostFields;
  if (entries.length > most) return `${place}: more than ${most} entries`;
  for (const [key, value] of entries) {
    if (key.length > longestText) return `${place}: a name longer than ${longestText} characters`;
    const found = excess(value, [...path, key]);
    if (found !== undefined) return found;
  }
  return undefined;
}
