import { randomUUID } from 'node:crypto';
import {
  closeSync,
  createWriteStream,
  fstatSync,
  openSync,
  readSync,
  unlinkSync,
  type WriteStream,
} from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { WholeLines, writeFault } from '../host/index.ts';

/** Characters of output that stay in memory, from which the last lines are shown. */
const keptLength = 256 * 1024;
/** A longer line is a dump, not a message. */
const shownLineLength = 2_000;
const copyEveryMs = 1_000;

/**
 * The log of a process, with its secrets masked. The process writes to a file, and the gate copies the lines once a second,
 * which takes the space twice until the process ends. With a pipe, the gate would read each line as it comes. That takes
 * CPU time which counts as that of the load, and a process has to wait when the gate reads late.
 */
export class ProcessLog {
  /** The file that the process writes to. It has no name, so a gate that is killed leaves nothing unmasked. */
  readonly output: number;
  readonly #masked: (text: string) => string;
  readonly #file: WriteStream;
  readonly #decoder = new StringDecoder('utf8');
  readonly #lines = new WholeLines((lines) => this.#keep(lines));
  readonly #timer: NodeJS.Timeout;
  readonly #piece = Buffer.allocUnsafe(1024 * 1024);
  /** Bytes of the output that were copied. */
  #copied = 0;
  #isClosed = false;
  /** The newest lines, masked. */
  #tail = '';

  /**
   * @param path file that receives the masked lines, after those that it has
   * @param masked masks secrets; gets many lines at once
   */
  constructor(path: string, masked: (text: string) => string) {
    const unmasked = `${path}.${randomUUID()}`;
    try {
      this.output = openSync(unmasked, 'ax+', 0o600);
      unlinkSync(unmasked);
    } catch (error) {
      throw writeFault(error, path, 'E_RESULTS_WRITE');
    }
    this.#masked = masked;
    this.#file = createWriteStream(path, { flags: 'a' });
    // A disk that is full must not end the measurement: the tail in memory still explains failures.
    this.#file.on('error', () => undefined);
    this.#timer = setInterval(() => this.#copy(), copyEveryMs).unref();
  }

  /** The newest lines, without line breaks. */
  tail(lines: number): readonly string[] {
    this.#copy();
    if (this.#tail === '') return [];
    // Masked again, because a secret may become known after its line was kept.
    return this.#masked(this.#tail)
      .replace(/\n$/, '')
      .split(/\r?\n/)
      .slice(-lines)
      .map((line) => line.slice(0, shownLineLength));
  }

  /** Copies what is left, and stops reading. */
  close(): void {
    if (this.#isClosed) return;
    this.#copy();
    this.#isClosed = true;
    clearInterval(this.#timer);
    closeSync(this.output);
    this.#lines.feed(this.#decoder.end());
    this.#lines.end();
    this.#file.end();
  }

  #copy(): void {
    if (this.#isClosed) return;
    const { size } = fstatSync(this.output);
    // A shell empties the file if its script writes `> /dev/stderr`.
    if (size < this.#copied) this.#copied = 0;
    while (this.#copied < size) {
      const bytes = readSync(this.output, this.#piece, 0, this.#piece.length, this.#copied);
      if (bytes === 0) return;
      this.#copied += bytes;
      this.#lines.feed(this.#decoder.write(this.#piece.subarray(0, bytes)));
    }
  }

  #keep(text: string): void {
    const lines = this.#masked(text);
    this.#file.write(lines);
    this.#tail += lines;
    if (this.#tail.length <= keptLength) return;
    const newest = this.#tail.slice(-keptLength);
    // The first line has lost its beginning. It is shown only if it is the only one.
    this.#tail = newest.slice(newest.indexOf('\n') + 1) || newest;
  }
}
