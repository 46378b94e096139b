/** Longer lines that arrive in pieces are cut, so that a program that prints no line breaks does not fill the memory. */
const longestLine = 64 * 1024;

/** Splits text that arrives in pieces into lines. It reads each character once, because it shares the measured CPUs. */
export class LineReader {
  readonly #onLine: (line: string) => void;
  #rest = '';

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  feed(text: string): void {
    let from = 0;
    for (let to = text.indexOf('\n'); to >= 0; to = text.indexOf('\n', from)) {
      this.#keep(text, from, to);
      this.#endLine();
      from = to + 1;
    }
    this.#keep(text, from, text.length);
  }

  /** Ends the last line, if no line break followed it. */
  end(): void {
    if (this.#rest !== '') this.#endLine();
  }

  #keep(text: string, from: number, to: number): void {
    this.#rest += text.slice(from, Math.min(to, from + longestLine - this.#rest.length));
  }

  #endLine(): void {
    const line = this.#rest;
    this.#rest = '';
    this.#onLine(line);
  }
}

/**
 * Passes on text that arrives in pieces, each time up to its last line break. A service may log thousands of lines a
 * second while it is measured, and handling each of them would take the CPU that is measured.
 */
export class WholeLines {
  readonly #onLines: (lines: string) => void;
  #rest = '';

  /** @param onLines gets one line or more, each with its line break */
  constructor(onLines: (lines: string) => void) {
    this.#onLines = onLines;
  }

  feed(text: string): void {
    const first = text.indexOf('\n');
    this.#wait(first < 0 ? text : text.slice(0, first));
    if (first < 0) return;
    const end = text.lastIndexOf('\n') + 1;
    const lines = this.#rest + text.slice(first, end);
    this.#rest = '';
    this.#onLines(lines);
    this.#wait(text.slice(end));
  }

  /** Ends the last line, if no line break followed it. */
  end(): void {
    if (this.#rest === '') return;
    this.#onLines(`${this.#rest}\n`);
    this.#rest = '';
  }

  #wait(text: string): void {
    this.#rest += text.slice(0, longestLine - this.#rest.length);
  }
}
