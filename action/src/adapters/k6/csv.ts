import { Fault } from '../../model/fault.ts';

const comma = 44;
const newline = 10;
const quote = 34;
const minus = 45;
const point = 46;
const zero = 48;

/** No sensible script writes a longer row. */
const maxRowBytes = 1 << 20;
const maxColumns = 64;

/** The columns that the gate reads. */
const columns = [
  'timestamp',
  'metric_value',
  'name',
  'expected_response',
  'status',
  'check',
  'scenario',
  'error_code',
  'extra_tags',
  'metadata',
] as const;
type Column = (typeof columns)[number];

/**
 * Splits k6's CSV output into rows, and a row into fields when asked to. It allocates nothing per row, because it shares
 * its CPUs with the measured service.
 */
export class CsvReader {
  readonly #onRow: (bytes: Buffer, start: number, end: number) => void;
  /** The start of a row whose end has not arrived yet. */
  #partial = Buffer.alloc(4096);
  #partialBytes = 0;
  #insideQuotes = false;

  /** Undefined until the header was read. */
  #columnAt: Readonly<Record<Column, number>> | undefined;
  #lastColumn = 0;
  /** The row that `split` was called for. */
  #bytes: Buffer = this.#partial;
  readonly #starts = new Int32Array(maxColumns);
  readonly #ends = new Int32Array(maxColumns);

  /** Calls `onRow` for each row after the header. */
  constructor(onRow: (bytes: Buffer, start: number, end: number) => void) {
    this.#onRow = onRow;
  }

  feed(chunk: Buffer): void {
    let rowStart = 0;
    let insideQuotes = this.#insideQuotes;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i];
      if (byte === quote) {
        // A quote within a quoted field is doubled, so it leaves and enters at once.
        insideQuotes = !insideQuotes;
      } else if (byte === newline && !insideQuotes) {
        if (this.#partialBytes > 0) {
          this.#keep(chunk, rowStart, i);
          const bytes = this.#partialBytes;
          this.#partialBytes = 0;
          this.#row(this.#partial, 0, bytes);
        } else {
          this.#row(chunk, rowStart, i);
        }
        rowStart = i + 1;
      }
    }
    this.#insideQuotes = insideQuotes;
    this.#keep(chunk, rowStart, chunk.length);
  }

  /** Finds the row's fields, without their quotes. Returns false if the row has too few. */
  split(bytes: Buffer, start: number, end: number): boolean {
    this.#bytes = bytes;
    let at = start;
    for (let column = 0; column <= this.#lastColumn; column++) {
      if (at > end) return false;
      if (at < end && bytes[at] === quote) {
        this.#starts[column] = ++at;
        while (at < end && (bytes[at] !== quote || bytes[at + 1] === quote)) {
          at += bytes[at] === quote ? 2 : 1;
        }
        this.#ends[column] = at;
        at += 2;
      } else {
        this.#starts[column] = at;
        while (at < end && bytes[at] !== comma) at++;
        this.#ends[column] = at++;
      }
    }
    return true;
  }

  start(column: Column): number {
    return this.#starts[this.#columnOf(column)] as number;
  }

  end(column: Column): number {
    return this.#ends[this.#columnOf(column)] as number;
  }

  /** Reads a plain decimal number. Both parts are exact below 2^53, so it rounds only once. */
  number(column: Column): number {
    const end = this.end(column);
    const start = this.start(column);
    const sign = this.#bytes[start] === minus ? -1 : 1;
    let digits = 0;
    let divisor = 0;
    for (let i = sign < 0 ? start + 1 : start; i < end; i++) {
      const byte = this.#bytes[i] as number;
      if (byte === point) {
        divisor = 1;
      } else {
        digits = digits * 10 + byte - zero;
        divisor *= 10;
      }
    }
    return sign * (divisor > 1 ? digits / divisor : digits);
  }

  #row(bytes: Buffer, start: number, end: number): void {
    if (this.#columnAt !== undefined) this.#onRow(bytes, start, end);
    else this.#readHeader(bytes.toString('utf8', start, end).split(','));
  }

  #readHeader(header: readonly string[]): void {
    const missing = columns.find((column) => !header.includes(column));
    if (missing !== undefined) throw unreadable(`its output has no column ${missing}`);
    const columnAt = Object.fromEntries(columns.map((column) => [column, header.indexOf(column)]));
    this.#columnAt = columnAt as Record<Column, number>;
    this.#lastColumn = Math.max(...Object.values(columnAt));
    if (this.#lastColumn >= maxColumns) throw unreadable(`its output has more than ${maxColumns} columns`);
  }

  #columnOf(column: Column): number {
    return (this.#columnAt as Readonly<Record<Column, number>>)[column];
  }

  #keep(bytes: Buffer, start: number, end: number): void {
    const length = this.#partialBytes + end - start;
    if (length > maxRowBytes) throw unreadable('a row of its output is longer than 1 MiB');
    if (length > this.#partial.length) {
      const larger = Buffer.alloc(2 * length);
      larger.set(this.#partial.subarray(0, this.#partialBytes));
      this.#partial = larger;
    }
    for (let i = start; i < end; i++) this.#partial[this.#partialBytes++] = bytes[i] as number;
  }
}

function unreadable(cause: string): Fault {
  return new Fault({
    code: 'E_GENERATOR_OUTPUT',
    kind: 'measurement',
    place: 'k6 run',
    cause: `the gate cannot read what k6 wrote: ${cause}`,
    nextStep: 'use k6 2.2.0, or a later version with the same CSV columns',
  });
}
