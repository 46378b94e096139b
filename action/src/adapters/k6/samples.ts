import { cutOffEndpoint, type LoadSink } from '../../measure/index.ts';
import { Fault } from '../../model/fault.ts';
import { K6Passes } from './passes.ts';

const COMMA = 44;
const NEWLINE = 10;
const QUOTE = 34;
const POINT = 46;
const ZERO = 48;
const AMPERSAND = 38;

const REQUEST = Buffer.from('http_req_duration,');
const ITERATION = Buffer.from('iterations,');
const CHECK = Buffer.from('checks,');
/** The first row of a pass that has ended, whole or cut off. */
const SENT = Buffer.from('data_sent,');
const USER = Buffer.from('vu=');
const CUT_OFF = Buffer.from(cutOffEndpoint);

/** k6's codes for a request, and for a connection, that took longer than its timeout. */
const TIMEOUTS: ReadonlySet<number> = new Set([1050, 1211]);

/** A name tag that holds an id makes an endpoint of every row of the database: past this many they are one. */
const MAX_NAMES = 500;
/** Characters of a name: what is longer holds text of an answer or a whole query, and every block repeats it. */
const MAX_NAME_LENGTH = 200;
/** Longer than any row of a script that means well. */
const MAX_ROW_BYTES = 1 << 20;
const MAX_COLUMNS = 64;
/** Distinct endpoint and status pairs that are counted for the error lines, and how many of them are told. */
const MAX_FAILURES = 32;
const MAX_TOLD = 8;

/** Stands for all the names past the limit. */
export const OTHER_ENDPOINTS = '(other)';

/** Finds the text of a byte sequence that was seen before without making a new one. */
class Names {
  readonly texts: string[] = [];
  overflowed = false;
  readonly #textOf: (raw: string) => string;
  readonly #raw: Uint8Array[] = [];
  /** Open addressing, four slots a name: index + 1, or 0. */
  readonly #slots = new Int32Array(2048);

  constructor(textOf = (raw: string) => raw) {
    this.#textOf = textOf;
  }

  /** Index into `texts`. */
  find(bytes: Uint8Array, start: number, end: number): number {
    let hash = 0x811c9dc5;
    for (let i = start; i < end; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193);
    let slot = hash & 2047;
    for (;;) {
      const index = (this.#slots[slot] as number) - 1;
      if (index < 0) return this.#add(bytes, start, end, slot);
      if (same(this.#raw[index] as Uint8Array, bytes, start, end)) return index;
      slot = (slot + 1) & 2047;
    }
  }

  #add(bytes: Uint8Array, start: number, end: number, slot: number): number {
    if (this.#raw.length > MAX_NAMES) return MAX_NAMES;
    if (this.#raw.length === MAX_NAMES) {
      this.overflowed = true;
      this.#raw.push(new Uint8Array());
      this.texts.push(OTHER_ENDPOINTS);
      return MAX_NAMES;
    }
    const raw = bytes.slice(start, end);
    this.#raw.push(raw);
    this.texts.push(shortened(this.#textOf(Buffer.from(raw).toString('utf8').replaceAll('""', '"'))));
    this.#slots[slot] = this.#raw.length;
    return this.#raw.length - 1;
  }
}

/**
 * Reads the stream of k6's CSV output and passes on what the gate counts.
 *
 * k6 writes some twelve rows a request and the gate needs one of them, while it shares its cores with what it
 * measures: rows are told apart by their first bytes, and nothing is allocated for a row.
 */
export class K6Samples {
  readonly #sink: LoadSink;
  readonly #names: Names;
  readonly #checks = new Names();
  readonly #passes = new K6Passes((sinceMs, atMs) => this.#cutOff(sinceMs, atMs));
  /** How often an endpoint failed with a status, by endpoint index x 1000 + status. */
  readonly #failures = new Map<number, number>();
  readonly #failedChecks = new Map<number, number>();

  /** Start of a row whose end has not arrived yet. */
  #rest = new Uint8Array(4096);
  #restBytes = 0;
  #insideQuotes = false;

  #headerRead = false;
  #begun = false;
  #lastColumn = 0;
  #timeColumn = -1;
  #valueColumn = -1;
  #nameColumn = -1;
  #expectedColumn = -1;
  #statusColumn = -1;
  #checkColumn = -1;
  #scenarioColumn = -1;
  #errorCodeColumn = -1;
  #metadataColumn = -1;
  readonly #fieldStart = new Int32Array(MAX_COLUMNS);
  readonly #fieldEnd = new Int32Array(MAX_COLUMNS);

  /** Requests that the script gives no name have their address for one: without `baseUrl`, which differs from boot to boot. */
  constructor(sink: LoadSink, baseUrl = '') {
    this.#sink = sink;
    this.#names = new Names((name) => withoutBase(name, baseUrl));
  }

  feed(chunk: Uint8Array): void {
    let rowStart = 0;
    let insideQuotes = this.#insideQuotes;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i];
      if (byte === QUOTE) {
        // A quote within a quoted field is doubled, so it leaves and enters at once.
        insideQuotes = !insideQuotes;
      } else if (byte === NEWLINE && !insideQuotes) {
        if (this.#restBytes > 0) {
          this.#keep(chunk, rowStart, i);
          const bytes = this.#restBytes;
          this.#restBytes = 0;
          this.#row(this.#rest, 0, bytes);
        } else {
          this.#row(chunk, rowStart, i);
        }
        rowStart = i + 1;
      }
    }
    this.#insideQuotes = insideQuotes;
    this.#keep(chunk, rowStart, chunk.length);
  }

  /** The stream has ended. */
  end(): void {
    this.#passes.finish();
  }

  /** What failed and how often, for people; the most frequent first. */
  failures(): string[] {
    const lines: { text: string; count: number }[] = [];
    for (const [key, count] of this.#failures) {
      const status = key % 1000;
      const what = status === 0 ? 'no answer' : `answered ${status}`;
      lines.push({ text: `${this.#names.texts[Math.floor(key / 1000)]}: ${what}`, count });
    }
    for (const [check, count] of this.#failedChecks) {
      lines.push({ text: `check did not hold: ${this.#checks.texts[check]}`, count });
    }
    lines.sort((a, b) => b.count - a.count);
    const texts = lines
      .slice(0, MAX_TOLD)
      .map(({ text, count }) => `${text.replace(/\s+/g, ' ')} (${count}x)`);
    if (this.#names.overflowed) {
      texts.push(`more than ${MAX_NAMES} endpoint names: give requests with an id in the URL a name tag`);
    }
    return texts;
  }

  #keep(bytes: Uint8Array, start: number, end: number): void {
    const length = this.#restBytes + end - start;
    if (length > MAX_ROW_BYTES) throw unreadable('a row of its output is longer than 1 MiB');
    if (length > this.#rest.length) {
      const larger = new Uint8Array(2 * length);
      larger.set(this.#rest.subarray(0, this.#restBytes));
      this.#rest = larger;
    }
    for (let i = start; i < end; i++) this.#rest[this.#restBytes++] = bytes[i] as number;
  }

  #row(bytes: Uint8Array, start: number, end: number): void {
    if (!this.#headerRead) {
      this.#header(Buffer.from(bytes.subarray(start, end)).toString('utf8'));
      return;
    }
    if (!this.#begun && this.#split(bytes, start, end)) {
      this.#begun = true;
      this.#passes.begin(this.#timeMs(bytes));
    }
    if (startsWith(REQUEST, bytes, start, end)) {
      this.#request(bytes, start, end);
    } else if (startsWith(ITERATION, bytes, start, end)) {
      this.#iteration(bytes, start, end);
    } else if (startsWith(SENT, bytes, start, end)) {
      this.#passEnd(bytes, start, end);
    } else if (startsWith(CHECK, bytes, start, end)) {
      this.#check(bytes, start, end);
    }
  }

  #header(line: string): void {
    const columns = line.split(',');
    const find = (column: string): number => {
      const index = columns.indexOf(column);
      if (index < 0) throw unreadable(`its output has no column ${column}`);
      return index;
    };
    this.#timeColumn = find('timestamp');
    this.#valueColumn = find('metric_value');
    this.#nameColumn = find('name');
    this.#expectedColumn = find('expected_response');
    this.#statusColumn = find('status');
    this.#checkColumn = find('check');
    this.#scenarioColumn = find('scenario');
    this.#errorCodeColumn = find('error_code');
    this.#metadataColumn = find('metadata');
    this.#lastColumn = Math.max(
      this.#timeColumn,
      this.#valueColumn,
      this.#nameColumn,
      this.#expectedColumn,
      this.#statusColumn,
      this.#checkColumn,
      this.#scenarioColumn,
      this.#errorCodeColumn,
      this.#metadataColumn,
    );
    if (this.#lastColumn >= MAX_COLUMNS) throw unreadable(`its output has more than ${MAX_COLUMNS} columns`);
    this.#headerRead = true;
  }

  #request(bytes: Uint8Array, start: number, end: number): void {
    if (!this.#split(bytes, start, end) || !this.#isLoad()) return;
    const endpoint = this.#find(this.#names, bytes, this.#nameColumn);
    // Empty if the script judges no status at all, `true` or `false` otherwise.
    const failed = bytes[this.#fieldStart[this.#expectedColumn] as number] === 0x66;
    const user = this.#user(bytes);
    const endedAtMs = this.#timeMs(bytes);
    let durationMs = this.#number(bytes, this.#valueColumn);
    // k6 tells no time of a request that never got a connection, however long that was waited for.
    if (durationMs === 0 && TIMEOUTS.has(this.#number(bytes, this.#errorCodeColumn))) {
      durationMs = Math.max(0, endedAtMs - this.#passes.heardAtMs(user));
    }
    this.#passes.heard(user, endedAtMs);
    this.#sink.request(this.#names.texts[endpoint] as string, endedAtMs, durationMs, failed);
    if (failed) count(this.#failures, endpoint * 1000 + this.#number(bytes, this.#statusColumn));
  }

  #iteration(bytes: Uint8Array, start: number, end: number): void {
    if (!this.#split(bytes, start, end)) return;
    const endedAtMs = this.#timeMs(bytes);
    this.#passes.whole(this.#user(bytes), endedAtMs);
    this.#sink.iteration(endedAtMs);
  }

  #passEnd(bytes: Uint8Array, start: number, end: number): void {
    if (!this.#split(bytes, start, end) || !this.#isLoad()) return;
    this.#passes.ended(this.#user(bytes), this.#timeMs(bytes));
  }

  /** What the user still waited for has taken this long at the least. */
  #cutOff(sinceMs: number, atMs: number): void {
    this.#sink.request(cutOffEndpoint, atMs, atMs - sinceMs, true);
    count(this.#failures, this.#names.find(CUT_OFF, 0, CUT_OFF.length) * 1000);
  }

  #check(bytes: Uint8Array, start: number, end: number): void {
    if (!this.#split(bytes, start, end) || this.#number(bytes, this.#valueColumn) !== 0) return;
    if (!this.#isLoad()) return;
    const endpoint = this.#find(this.#names, bytes, this.#nameColumn);
    this.#sink.failedCheck(this.#names.texts[endpoint] as string);
    count(this.#failedChecks, this.#find(this.#checks, bytes, this.#checkColumn));
  }

  /** Notes where the fields are, without quotes; false if there are too few of them. */
  #split(bytes: Uint8Array, start: number, end: number): boolean {
    let at = start;
    for (let column = 0; column <= this.#lastColumn; column++) {
      if (at > end) return false;
      if (at < end && bytes[at] === QUOTE) {
        this.#fieldStart[column] = ++at;
        while (at < end && (bytes[at] !== QUOTE || bytes[at + 1] === QUOTE)) {
          at += bytes[at] === QUOTE ? 2 : 1;
        }
        this.#fieldEnd[column] = at;
        at += 2;
      } else {
        this.#fieldStart[column] = at;
        while (at < end && bytes[at] !== COMMA) at++;
        this.#fieldEnd[column] = at++;
      }
    }
    return true;
  }

  /** False for what setup() and teardown() do: they belong to no scenario. */
  #isLoad(): boolean {
    return (
      (this.#fieldEnd[this.#scenarioColumn] as number) > (this.#fieldStart[this.#scenarioColumn] as number)
    );
  }

  #find(names: Names, bytes: Uint8Array, column: number): number {
    return names.find(bytes, this.#fieldStart[column] as number, this.#fieldEnd[column] as number);
  }

  /** Number of the virtual user, among what the script may have put into the metadata; 0 if there is none. */
  #user(bytes: Uint8Array): number {
    const end = this.#fieldEnd[this.#metadataColumn] as number;
    const first = this.#fieldStart[this.#metadataColumn] as number;
    for (let i = first; i < end; i++) {
      if ((i > first && bytes[i - 1] !== AMPERSAND) || !startsWith(USER, bytes, i, end)) continue;
      let user = 0;
      for (let at = i + USER.length; at < end && bytes[at] !== AMPERSAND; at++) {
        user = user * 10 + (bytes[at] as number) - ZERO;
      }
      return user;
    }
    return 0;
  }

  /** k6 is asked for microseconds: 16 digits, which a double still holds exactly. */
  #timeMs(bytes: Uint8Array): number {
    return this.#number(bytes, this.#timeColumn) / 1000;
  }

  /** A plain decimal number that is not negative; both parts are exact below 2^53, so one rounding is all. */
  #number(bytes: Uint8Array, column: number): number {
    const end = this.#fieldEnd[column] as number;
    let digits = 0;
    let divisor = 0;
    for (let i = this.#fieldStart[column] as number; i < end; i++) {
      const byte = bytes[i] as number;
      if (byte === POINT) {
        divisor = 1;
      } else {
        digits = digits * 10 + byte - ZERO;
        divisor *= 10;
      }
    }
    return divisor > 1 ? digits / divisor : digits;
  }
}

function withoutBase(name: string, baseUrl: string): string {
  if (baseUrl === '' || !name.startsWith(baseUrl)) return name;
  const rest = name.slice(baseUrl.length);
  if (rest === '') return '/';
  return /^[/?]/.test(rest) ? rest : name;
}

function shortened(name: string): string {
  if (name.length <= MAX_NAME_LENGTH) return name;
  return `${name.slice(0, MAX_NAME_LENGTH - 1).toWellFormed()}…`;
}

function same(known: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (known.length !== end - start) return false;
  for (let i = 0; i < known.length; i++) if (known[i] !== bytes[start + i]) return false;
  return true;
}

function startsWith(prefix: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start < prefix.length) return false;
  // From the end: k6's names share their beginnings.
  for (let i = prefix.length - 1; i >= 0; i--) if (bytes[start + i] !== prefix[i]) return false;
  return true;
}

function count(counts: Map<number, number>, key: number): void {
  const before = counts.get(key);
  if (before !== undefined) counts.set(key, before + 1);
  else if (counts.size < MAX_FAILURES) counts.set(key, 1);
}

function unreadable(cause: string): Fault {
  return new Fault({
    code: 'E_GENERATOR_OUTPUT',
    kind: 'measurement',
    place: 'k6 run',
    cause: `k6 answered in a way the gate cannot read: ${cause}.`,
    nextStep: 'Use the k6 version that the gate names, 2.2.0 or later.',
  });
}
