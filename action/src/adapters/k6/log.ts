import { LineReader } from '../host/index.ts';

/** Distinct error lines that are kept. */
const maxLines = 8;
const maxLineLength = 400;
/** Missed thresholds that are kept, and the length of their names. */
const maxThresholds = 50;
const maxThresholdLength = 200;

/** Reads k6's stderr under `--log-format json`: counts exceptions and keeps the first distinct errors. */
export class K6Log {
  /** Iterations that ended in an exception. k6 reports them nowhere else, and exits with 0. */
  exceptions = 0;
  readonly #onException: (fromMs: number) => void;
  /** A threshold with abortOnFail ended the run early. k6 then exits with 99 too, although the load is incomplete. */
  endedByThreshold = false;
  /** Metrics whose thresholds were missed. */
  missedThresholds: readonly string[] = [];
  readonly lines: string[] = [];
  readonly #seen = new Set<string>();
  readonly #decoder = new TextDecoder();
  readonly #reader = new LineReader((line) => this.#line(line));

  /** @param onException gets the second in which an iteration ended, which is as exact as k6 logs it */
  constructor(onException: (fromMs: number) => void = () => {}) {
    this.#onException = onException;
  }

  feed(chunk: Uint8Array): void {
    this.#reader.feed(this.#decoder.decode(chunk, { stream: true }));
  }

  end(): void {
    this.#reader.end();
  }

  #line(line: string): void {
    // Text that a script logs cannot look like these keys: quotes within a JSON string are escaped.
    if (line.includes('"executor":') && line.includes('"level":"error"')) {
      this.exceptions++;
      this.#onException(Date.parse(textOf(parsed(line)?.time)));
    }
    if (line.includes('stopping test prematurely')) this.endedByThreshold = true;
    const missed = /^thresholds on metrics '(.+)' have been crossed$/.exec(textOf(parsed(line)?.msg))?.[1];
    if (missed !== undefined) {
      this.missedThresholds = namesIn(missed);
      return;
    }
    if (this.lines.length === maxLines) return;
    const text = errorText(line);
    if (text === undefined) return;
    // Lines that differ only in ids, ports and times report the same error.
    const key = text.replace(/\d+/g, '0');
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.lines.push(text.slice(0, maxLineLength));
  }
}

/** A name may end with selectors, which have commas too: `a, b{c:d,e:f}`. */
function namesIn(list: string): readonly string[] {
  const names = list.split(/, (?![^{}]*\})/);
  return names.slice(0, maxThresholds).map((name) => name.slice(0, maxThresholdLength));
}

/** Returns the error that a line of k6's log reports, or undefined if it reports none. */
export function errorText(line: string): string | undefined {
  const entry = parsed(line);
  // A panic of Go's runtime and complaints of the script loader come as plain text.
  if (entry === undefined) return line.trim() || undefined;
  const message = textOf(entry.msg);
  const error = textOf(entry.error);
  if (entry.level === 'warning') return message === 'Request Failed' ? error : undefined;
  if (entry.level !== 'error' && entry.level !== 'fatal' && entry.level !== 'panic') return undefined;
  const [first = '', ...rest] = (error === '' ? message : `${message}: ${error}`).split('\n');
  // The first frame in a file shows where the script threw; the frames above it are k6's own.
  const frames = rest.map((part) => part.trim()).filter((part) => part !== '');
  const frame = frames.find((part) => part.includes('file://'));
  return [first, ...(frame === undefined ? frames : [frame])].join(' ');
}

function parsed(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
