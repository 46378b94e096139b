/** Of a report's text; one of forty cells is about 1 MB. It is read whole by who publishes it. */
export const mostReportBytes = 8 * 1024 * 1024;
/** No report of the gate holds more: a suite of 40 cells with 30 rounds has a fifth of its cells and blocks. */
const mostEntries: Readonly<Record<string, number>> = {
  cells: 200,
  blocks: 100,
  // A block has 500 names at most, and those that stand for the names past them and for what was cut off.
  endpoints: 502,
  signals: 200,
  versions: 50,
  invalid: 50,
  windows: 1_000,
  phases: 100,
};
/** Of any other list or object. */
const mostFields = 50;
const longestText = 1_000;
/** A figure of an endpoint's latency lies nine deep. */
const deepest = 12;

/**
 * What is larger than in any report that the gate writes, and where; undefined if nothing is. Asked before anything else looks at
 * the data: the time that a hostile report takes is then bounded by its length.
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
