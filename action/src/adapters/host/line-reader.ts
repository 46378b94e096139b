/** Longer lines are cut, so that a program that prints no line breaks does not fill the memory. */
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
