import type { LoadSink } from '../../measure/index.ts';
import { ownEndpoints } from '../../model/run.ts';
import { CsvReader } from './csv.ts';
import { maxNames, Names } from './names.ts';
import { VuActivity } from './vu-activity.ts';

const ampersand = 38;
const comma = 44;
const zero = 48;
const letterF = 0x66;

/** Nearly all rows are of these; a metric of the script with such a name is read only if a signal asks for it. */
const requestRows = Buffer.from('http_req');
const requestRow = Buffer.from('http_req_duration,');
/** Time in which a request waited for a connection, which its duration leaves out. */
const blockedRow = Buffer.from('http_req_blocked,');
const grpcRow = Buffer.from('grpc_req_duration,');
/** The handshake of a WebSocket. k6 dates it by its start, unlike the others. */
const handshakeRow = Buffer.from('ws_connecting,');
const passRow = Buffer.from('iteration_duration,');
const iterationRow = Buffer.from('iterations,');
const checkRow = Buffer.from('checks,');
const usersRow = Buffer.from('vus,');
const droppedRow = Buffer.from('dropped_iterations,');
/** k6 writes this row first when an iteration ends, whether it completed or was interrupted. */
const iterationEndRow = Buffer.from('data_sent,');
/** Bytes of an iteration's responses, headers included, written when it ends. */
const receivedRow = Buffer.from('data_received,');
/** Metrics of k6 that say nothing which the report does not have: the others are those of the script. */
const ownMetrics: ReadonlySet<string> = new Set([
  'metric_name', // the header
  'vus_max',
  'iteration_duration',
  'group_duration',
  'grpc_streams',
  'ws_sessions',
]);
/** More metrics than this are not shown. */
const mostMetrics = 20;
const vuTag = Buffer.from('vu=');
/** Stand for what has no `name` tag: a WebSocket of k6/ws, and a pass that sends only what k6 does not time. */
const webSocketName = Buffer.from('WebSocket');
const passName = Buffer.from('iteration');
const switchingProtocols = 101;
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
  /** Whether any request was seen, so that passes do not stand for requests. */
  #asked = false;
  /** By the newest iteration that ended, whose other rows follow at once. */
  #sentBytes = 0;
  #passMs = 0;
  #ownMs = 0;
  readonly #metrics: readonly { readonly name: string; readonly row: Buffer }[];
  /** Metrics that nobody asked for. */
  readonly #found = new Set<string>();

  /**
   * The sink gets the values of the script's own metrics too, as far as they are few.
   *
   * @param baseUrl is cut from the addresses that name unnamed requests, because it differs from boot to boot
   * @param metrics of the script or of k6 whose values the sink gets in any case
   */
  constructor(sink: LoadSink, baseUrl = '', metrics: readonly string[] = []) {
    this.#sink = sink;
    this.#metrics = metrics.map((name) => ({ name, row: Buffer.from(`${name},`) }));
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
      const outcome = outcomeOf(status);
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
    for (const { name, row } of this.#metrics) {
      if (!startsWith(row, bytes, start, end)) continue;
      if (this.#csv.split(bytes, start, end) && this.#isLoad()) {
        this.#sink.metric(name, this.#timeMs(), this.#csv.number('metric_value'));
      }
    }
    if (startsWith(requestRow, bytes, start, end)) {
      if (this.#csv.split(bytes, start, end) && this.#isLoad()) this.#request(bytes);
    } else if (startsWith(grpcRow, bytes, start, end)) {
      if (this.#csv.split(bytes, start, end) && this.#isLoad()) this.#call(bytes);
    } else if (startsWith(handshakeRow, bytes, start, end)) {
      if (this.#csv.split(bytes, start, end) && this.#isLoad()) this.#handshake(bytes);
    } else if (startsWith(blockedRow, bytes, start, end)) {
      if (isMilliseconds(bytes, start, end) && this.#csv.split(bytes, start, end)) {
        this.#activity.waited(this.#vu(bytes), this.#csv.number('metric_value'));
      }
    } else if (startsWith(passRow, bytes, start, end)) {
      if (this.#csv.split(bytes, start, end) && this.#isLoad()) this.#pass(bytes);
    } else if (startsWith(iterationRow, bytes, start, end)) {
      if (this.#csv.split(bytes, start, end)) this.#iteration(bytes);
    } else if (startsWith(iterationEndRow, bytes, start, end)) {
      if (this.#csv.split(bytes, start, end) && this.#isLoad()) {
        this.#activity.iterationEnded(this.#vu(bytes), this.#timeMs());
        this.#sentBytes = this.#csv.number('metric_value');
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
    } else if (!startsWith(requestRows, bytes, start, end)) {
      this.#other(bytes, start, end);
    }
  }

  #other(bytes: Buffer, start: number, end: number): void {
    const name = bytes.toString('latin1', start, bytes.indexOf(comma, start));
    if (ownMetrics.has(name) || this.#metrics.some((known) => known.name === name)) return;
    if (!this.#found.has(name)) {
      if (this.#found.size === mostMetrics) return;
      this.#found.add(name);
    }
    if (this.#csv.split(bytes, start, end) && this.#isLoad()) {
      this.#sink.metric(name, this.#timeMs(), this.#csv.number('metric_value'));
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
    this.#activity.waited(this.#vu(bytes), durationMs);
    this.#answered(endpoint, endedAtMs, durationMs, failed, failed ? this.#csv.number('status') : 0);
  }

  /** A call of gRPC, whose status is 0 if it succeeded. */
  #call(bytes: Buffer): void {
    const endpoint = this.#indexIn(this.#endpoints, bytes, 'name');
    const status = this.#csv.number('status');
    const endedAtMs = this.#timeMs();
    const durationMs = this.#csv.number('metric_value');
    this.#activity.seen(this.#vu(bytes), endedAtMs);
    this.#activity.waited(this.#vu(bytes), durationMs);
    this.#answered(endpoint, endedAtMs, durationMs, status !== 0, status);
  }

  #handshake(bytes: Buffer): void {
    const isNamed = this.#csv.end('name') > this.#csv.start('name');
    const endpoint = isNamed
      ? this.#indexIn(this.#endpoints, bytes, 'name')
      : this.#endpoints.indexOf(webSocketName);
    const status = this.#csv.number('status');
    const durationMs = this.#csv.number('metric_value');
    const endedAtMs = this.#timeMs() + durationMs;
    this.#activity.seen(this.#vu(bytes), endedAtMs);
    // k6 does not time the messages that follow, so all of the pass may be waiting for the service.
    this.#activity.waited(this.#vu(bytes), Number.POSITIVE_INFINITY);
    const failed = status !== switchingProtocols;
    this.#answered(endpoint, endedAtMs, durationMs, failed, failed ? status : 0);
  }

  /** Counts as a request if the pass sent only what k6 does not time, such as messages of a stream. */
  #pass(bytes: Buffer): void {
    this.#passMs = this.#csv.number('metric_value');
    const waitedMs = this.#activity.takeWaited(this.#vu(bytes));
    this.#ownMs = this.#asked ? Math.max(0, this.#passMs - waitedMs) : 0;
    if (this.#asked || this.#sentBytes === 0) return;
    const endpoint = this.#endpoints.indexOf(passName);
    const name = this.#endpoints.texts[endpoint] as string;
    this.#sink.request(name, this.#timeMs(), this.#passMs, false, 0);
  }

  #answered(endpoint: number, endedAtMs: number, durationMs: number, failed: boolean, status: number): void {
    this.#asked = true;
    this.#sink.request(this.#endpoints.texts[endpoint] as string, endedAtMs, durationMs, failed, status);
    if (failed) count(this.#failures, endpoint * 1000 + status);
  }

  #iteration(bytes: Buffer): void {
    const endedAtMs = this.#timeMs();
    this.#activity.iterationCompleted(this.#vu(bytes), endedAtMs);
    this.#sink.iteration(endedAtMs, this.#passMs, this.#ownMs);
  }

  /** The request that the user still waited for has taken at least this long. */
  #cutOff(sinceMs: number, atMs: number): void {
    this.#sink.request(ownEndpoints.cutOff, atMs, atMs - sinceMs, true, 0);
    count(this.#failures, this.#endpoints.indexOf(cutOffName) * 1000);
  }

  #check(bytes: Buffer): void {
    if (this.#csv.number('metric_value') !== 0) return;
    const endpoint = this.#indexIn(this.#endpoints, bytes, 'name');
    const check = this.#indexIn(this.#checks, bytes, 'check');
    if (this.#activity.isAnotherFailure(this.#vu(bytes), endpoint, check)) {
      this.#sink.failedCheck(this.#endpoints.texts[endpoint] as string);
    }
    count(this.#failedChecks, check);
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

function outcomeOf(status: number): string {
  if (status === 0) return 'no answer';
  return status < 100 ? `gRPC status ${status}` : `answered ${status}`;
}

function withoutBase(name: string, baseUrl: string): string {
  const address = name.replace(/^ws(?=s?:)/, 'http');
  if (baseUrl === '' || !address.startsWith(baseUrl)) return name;
  const rest = address.slice(baseUrl.length);
  if (rest === '') return '/';
  return /^[/?]/.test(rest) ? rest : name;
}

/** True if the row's value is at least 1. Nearly all requests wait less for a connection, and their rows are not split. */
function isMilliseconds(bytes: Buffer, start: number, end: number): boolean {
  const value = bytes.indexOf(comma, start + blockedRow.length) + 1;
  return value > 0 && value < end && bytes[value] !== zero;
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
