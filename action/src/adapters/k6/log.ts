import { LineReader } from '../host/index.ts';

/** Distinct error lines that are kept; the rest are counted only. */
const MAX_LINES = 8;
const MAX_LINE_LENGTH = 400;

/** What k6 said on stderr under `--log-format json`: counts exceptions and keeps the first distinct errors. */
export class K6Log {
  /** Iterations that ended in an exception. k6 reports them nowhere else, and exits with 0. */
  exceptions = 0;
  /** A threshold with abortOnFail ended the run early: exit 99 as well, but the load is not whole. */
  endedByThreshold = false;
  readonly lines: string[] = [];
  readonly #seen = new Set<string>();
  readonly #decoder = new TextDecoder();
  readonly #reader = new LineReader((line) => this.#line(line));

  feed(chunk: Uint8Array): void {
    this.#reader.feed(this.#decoder.decode(chunk, { stream: true }));
  }

  end(): void {
    this.#reader.end();
  }

  #line(line: string): void {
    if (line === '') return;
    // A key cannot be mistaken for text of a script: quotes within a JSON string are escaped.
    if (line.includes('"executor":') && line.includes('"level":"error"')) this.exceptions++;
    if (line.includes('stopping test prematurely')) this.endedByThreshold = true;
    if (this.lines.length < MAX_LINES) this.#note(errorText(line));
  }

  #note(text: string | undefined): void {
    if (text === undefined) return;
    // Ids, ports and times differ from line to line and say nothing new.
    const key = text.replace(/\d+/g, '0');
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.lines.push(text.slice(0, MAX_LINE_LENGTH));
  }
}

/** The error that a line of k6's log tells, or undefined if it tells none. */
export function errorText(line: string): string | undefined {
  const entry = parse(line);
  // A panic of Go's runtime, or the loader's complaint, comes as plain text.
  if (entry === undefined) return line.trim() === '' ? undefined : line.trim();
  const message = text(entry.msg);
  const error = text(entry.error);
  if (entry.level === 'warning') return message === 'Request Failed' ? error : undefined;
  if (entry.level !== 'error' && entry.level !== 'fatal' && entry.level !== 'panic') return undefined;
  const [first = '', ...rest] = (error === '' ? message : `${message}: ${error}`).split('\n');
  // Of an exception's frames the first in a file says where it was thrown; those above it are k6's own.
  const frames = rest.map((part) => part.trim()).filter((part) => part !== '');
  const frame = frames.find((part) => part.includes('file://'));
  return [first, ...(frame === undefined ? frames : [frame])].join(' ');
}

function parse(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
