import type { LoadSink } from '../../measure/index.ts';
import { ownEndpoints } from '../../model/run.ts';
import { CsvReader } from './csv.ts';
import { maxNames, Names } from './names.ts';
import { VuActivity } from './vu-activity.ts';

const ampersand = 38;
const zero = 48;
const letterF = 0x66;

const requestRow = Buffer.from('http_req_duration,');
const iterationRow = Buffer.from('iterations,');
const checkRow = Buffer.from('checks,');
const usersRow = Buffer.from('vus,');
const droppedRow = Buffer.from('dropped_iterations,');
/** k6 writes this row first when an iteration ends, whether it completed or was interrupted. */
const iterationEndRow = Buffer.from('data_sent,');
/** Bytes of an iteration's responses, headers included, written when it ends. */
const receivedRow = Buffer.from('data_received,');
const vuTag = Buffer.from('vu=');
const cutOffName = Buffer.from(ownEndpoints.cutOff);

/** k6's error codes for a request timeout and for a connection timeout. */
const timeoutCodes: ReadonlySet<number> = new Set([1050, 1211]);

/** How many distinct failures are counted for the error lines, and how many of those lines are shown. */
const maxFailures = 32;
const maxShown = 8;

/**
 * Passes on what the gate counts from the stream of k6's CSV output. k6 writes about twelve rows per request and the
 * gate needs one, so a row is recognised by its first bytes before anything else is read.
 */
export class K6Samples {
  readonly #sink: LoadSink;
  readonly #csv = new CsvReader((bytes, start, end) => this.#row(bytes, start, end));
  readonly #endpoints: Names;
  readonly #checks = new Names();
  readonly #activity = new VuActivity((sinceMs, atMs) => this.#cutOff(sinceMs, atMs));
  /** How often an endpoint failed with a status, by endpoint index x 1000 + status. */
  readonly #failures = new Map<number, number>();
  readonly #failedChecks = new Map<number, number>();
  #begun = false;

  /** @param baseUrl is cut from the addresses that name unnamed requests, because it differs from boot to boot */
  constructor(sink: LoadSink, baseUrl = '') {
    this.#sink = sink;
    this.#endpoints = new Names((name) => withoutBase(name, baseUrl));
  }

  feed(chunk: Buffer): void {
    this.#csv.feed(chunk);
  }

  /** Call once the stream has ended. */
  end(): void {
    this.#activity.finish();
  }

  /** Describes what failed and how often, the most frequent first. */
  failures(): string[] {
    const lines = [...this.#failures].map(([key, count]) => {
      const status = key % 1000;
      const outcome = status === 0 ? 'no answer' : `answered ${status}`;
      return { text: `${this.#endpoints.texts[Math.floor(key / 1000)]}: ${outcome}`, count };
    });
    for (const [check, count] of this.#failedChecks) {
      lines.push({ text: `check failed: ${this.#checks.texts[check]}`, count });
    }
    const texts = lines
      .sort((a, b) => b.count - a.count)
      .slice(0, maxShown)
      .map(({ text, count }) => `${text.replace(/\s+/g, ' ')} (${count}x)`);
    if (this.#endpoints.overflowed) {
      texts.push(`more than ${maxNames} endpoint names: give requests with an id in the URL a name tag`);
    }
    return texts;
  }

  #row(bytes: Buffer, start: number, end: number): void {
    if (!this.#begun && this.#csv.split(bytes, start, end)) {
      this.#begun = true;
      this.#activity.begin(this.#timeMs());
    }
    if (startsWith(requestRow, bytes, start, end)) {
      if (this.#csv.split(bytes, start, end) && this.#isLoad()) this.#request(bytes);
    } else if (startsWith(iterationRow, bytes, start, end)) {
      if (this.#csv.split(bytes, start, end)) this.#iteration(bytes);
    } else if (startsWith(iterationEndRow, bytes, start, end)) {
      if (this.#csv.split(bytes, start, end) && this.#isLoad()) {
        this.#activity.iterationEnded(this.#vu(bytes), this.#timeMs());
      }
    } else if (startsWith(receivedRow, bytes, start, end)) {
      if (this.#csv.split(bytes, start, end) && this.#isLoad()) {
        this.#sink.received(this.#csv.number('metric_value'));
      }
    } else if (startsWith(usersRow, bytes, start, end)) {
      if (this.#csv.split(bytes, start, end)) {
        this.#sink.users(this.#timeMs(), this.#csv.number('metric_value'));
      }
    } else if (startsWith(droppedRow, bytes, start, end)) {
      if (this.#csv.split(bytes, start, end)) this.#sink.dropped(this.#timeMs());
    } else if (startsWith(checkRow, bytes, start, end)) {
      if (this.#csv.split(bytes, start, end) && this.#isLoad()) this.#check(bytes);
    }
  }

  #request(bytes: Buffer): void {
    const endpoint = this.#indexIn(this.#endpoints, bytes, 'name');
    // The field holds `true` or `false`, or nothing if the script judges no status at all.
    const failed = bytes[this.#csv.start('expected_response')] === letterF;
    const endedAtMs = this.#timeMs();
    const seenAtMs = this.#activity.seen(this.#vu(bytes), endedAtMs);
    let durationMs = this.#csv.number('metric_value');
    // k6 reports no duration for a request that never got a connection, however long it waited.
    if (durationMs === 0 && timeoutCodes.has(this.#csv.number('error_code'))) {
      durationMs = Math.max(0, endedAtMs - seenAtMs);
    }
    const status = failed ? this.#csv.number('status') : 0;
    this.#sink.request(this.#endpoints.texts[endpoint] as string, endedAtMs, durationMs, failed, status);
    if (failed) count(this.#failures, endpoint * 1000 + status);
  }

  #iteration(bytes: Buffer): void {
    const endedAtMs = this.#timeMs();
    this.#activity.iterationCompleted(this.#vu(bytes), endedAtMs);
    this.#sink.iteration(endedAtMs);
  }

  /** The request that the user still waited for has taken at least this long. */
  #cutOff(sinceMs: number, atMs: number): void {
    this.#sink.request(ownEndpoints.cutOff, atMs, atMs - sinceMs, true, 0);
    count(this.#failures, this.#endpoints.indexOf(cutOffName) * 1000);
  }

  #check(bytes: Buffer): void {
    if (this.#csv.number('metric_value') !== 0) return;
    const endpoint = this.#indexIn(this.#endpoints, bytes, 'name');
    this.#sink.failedCheck(this.#endpoints.texts[endpoint] as string);
    count(this.#failedChecks, this.#indexIn(this.#checks, bytes, 'check'));
  }

  /** False for setup() and teardown(), which belong to no scenario. */
  #isLoad(): boolean {
    return this.#csv.end('scenario') > this.#csv.start('scenario');
  }

  #indexIn(names: Names, bytes: Buffer, column: 'name' | 'check'): number {
    return names.indexOf(bytes, this.#csv.start(column), this.#csv.end(column));
  }

  /** The number of the virtual user, which the script may have surrounded with metadata of its own; 0 if absent. */
  #vu(bytes: Buffer): number {
    const end = this.#csv.end('metadata');
    const first = this.#csv.start('metadata');
    for (let i = first; i < end; i++) {
      if ((i > first && bytes[i - 1] !== ampersand) || !startsWith(vuTag, bytes, i, end)) continue;
      let vu = 0;
      for (let at = i + vuTag.length; at < end && bytes[at] !== ampersand; at++) {
        vu = vu * 10 + (bytes[at] as number) - zero;
      }
      return vu;
    }
    return 0;
  }

  /** k6 writes microseconds: 16 digits, which a double holds exactly. */
  #timeMs(): number {
    return this.#csv.number('timestamp') / 1000;
  }
}

function withoutBase(name: string, baseUrl: string): string {
  if (baseUrl === '' || !name.startsWith(baseUrl)) return name;
  const rest = name.slice(baseUrl.length);
  if (rest === '') return '/';
  return /^[/?]/.test(rest) ? rest : name;
}

function startsWith(prefix: Buffer, bytes: Buffer, start: number, end: number): boolean {
  if (end - start < prefix.length) return false;
  // Compares from the end, because k6's metric names share their beginnings.
  for (let i = prefix.length - 1; i >= 0; i--) if (bytes[start + i] !== prefix[i]) return false;
  return true;
}

function count(counts: Map<number, number>, key: number): void {
  const before = counts.get(key);
  if (before !== undefined) counts.set(key, before + 1);
  else if (counts.size < maxFailures) counts.set(key, 1);
}
