/** A name tag that holds an id makes one endpoint per database row: names past this limit share one. */
const maxNames = 500;
/** A longer name holds a whole query or text of a response, and every block would repeat it. */
const maxNameLength = 200;
/** Four slots per name. A power of two, so that a mask finds the slot. */
const slotCount = 2048;

/** Stands for all names past the limit. */
export const otherEndpoints = '(other)';

/** Maps byte sequences to texts and creates each text only once. */
export class Names {
  readonly texts: string[] = [];
  overflowed = false;
  readonly #textOf: (raw: string) => string;
  readonly #raw: Uint8Array[] = [];
  /** Open addressing: the name's index + 1, or 0 for a free slot. */
  readonly #slots = new Int32Array(slotCount);

  constructor(textOf = (raw: string) => raw) {
    this.#textOf = textOf;
  }

  /** Returns the name's index in `texts`. */
  indexOf(bytes: Uint8Array, start = 0, end = bytes.length): number {
    let hash = 0x811c9dc5;
    for (let i = start; i < end; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193);
    let slot = hash & (slotCount - 1);
    for (;;) {
      const index = (this.#slots[slot] as number) - 1;
      if (index < 0) return this.#add(bytes, start, end, slot);
      if (isSame(this.#raw[index] as Uint8Array, bytes, start, end)) return index;
      slot = (slot + 1) & (slotCount - 1);
    }
  }

  #add(bytes: Uint8Array, start: number, end: number, slot: number): number {
    if (this.#raw.length === maxNames) {
      if (!this.overflowed) this.texts.push(otherEndpoints);
      this.overflowed = true;
      return maxNames;
    }
    const raw = bytes.slice(start, end);
    this.texts.push(shortened(this.#textOf(Buffer.from(raw).toString('utf8').replaceAll('""', '"'))));
    this.#slots[slot] = this.#raw.push(raw);
    return this.#raw.length - 1;
  }
}

function shortened(name: string): string {
  return name.length <= maxNameLength ? name : `${name.slice(0, maxNameLength - 1).toWellFormed()}…`;
}

function isSame(known: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (known.length !== end - start) return false;
  for (let i = 0; i < known.length; i++) if (known[i] !== bytes[start + i]) return false;
  return true;
}
