/** A name tag that holds an id makes one endpoint per database row: names past this limit share one. */
export const maxNames = 500;
/** A longer name holds a whole query or text of a response, and every block would repeat it. */
const maxNameLength = 200;

/** Stands for all names past the limit. */
export const otherEndpoints = '(other)';

/** Numbers the distinct names of a column and decodes each of them only once. */
export class Names {
  readonly texts: string[] = [];
  readonly #textOf: (raw: string) => string;
  /** By the name's bytes as Latin-1, which is the cheapest key to make. */
  readonly #indexes = new Map<string, number>();

  constructor(textOf = (raw: string) => raw) {
    this.#textOf = textOf;
  }

  get overflowed(): boolean {
    return this.texts.length > maxNames;
  }

  /** Returns the name's index in `texts`. */
  indexOf(bytes: Buffer, start = 0, end = bytes.length): number {
    const key = bytes.toString('latin1', start, end);
    const known = this.#indexes.get(key);
    if (known !== undefined) return known;
    if (this.#indexes.size === maxNames) {
      this.texts[maxNames] = otherEndpoints;
      return maxNames;
    }
    const raw = bytes.toString('utf8', start, end).replaceAll('""', '"');
    this.#indexes.set(key, this.texts.push(shortened(this.#textOf(raw))) - 1);
    return this.texts.length - 1;
  }
}

function shortened(name: string): string {
  return name.length <= maxNameLength ? name : `${name.slice(0, maxNameLength - 1).toWellFormed()}…`;
}
