import { Fault } from '../../model/fault.ts';

/** One row of a table, with the place where it stands. */
export class Row {
  readonly place: string;
  readonly #fields: ReadonlyMap<string, string>;

  constructor(place: string, fields: ReadonlyMap<string, string>) {
    this.place = place;
    this.#fields = fields;
  }

  text(column: string): string {
    const value = this.#fields.get(column);
    if (value === undefined) throw rowsFault(this.place, `the row has no column \`${column}\``);
    return value;
  }

  number(column: string): number {
    const text = this.text(column);
    const value = Number(text);
    if (text === '' || !Number.isFinite(value)) {
      throw rowsFault(this.place, `\`${column}\` is \`${text}\`, which is not a number`);
    }
    return value;
  }

  /** Undefined if it is empty, or if the table is older than its column. */
  newNumber(column: string): number | undefined {
    return (this.#fields.get(column) ?? '') === '' ? undefined : this.number(column);
  }

  /** One of the given words. */
  word<Word extends string>(column: string, words: readonly Word[]): Word {
    const text = this.text(column);
    const found = words.find((word) => word === text);
    if (found === undefined) {
      throw rowsFault(this.place, `\`${column}\` is \`${text}\`, not one of ${words.join(', ')}`);
    }
    return found;
  }

  /** The columns whose names begin so, without that beginning; empty fields are left out. */
  rest(prefix: string): readonly (readonly [string, string])[] {
    return [...this.#fields].flatMap(([name, value]): [string, string][] =>
      name.startsWith(prefix) && value !== '' ? [[name.slice(prefix.length), value]] : [],
    );
  }
}

export function rowsFault(place: string, cause: string): Fault {
  return new Fault({
    code: 'E_BLOCK_ROWS',
    kind: 'usage',
    place,
    cause,
    nextStep: 'restore the file from git, or write it again from recorded runs',
  });
}

/** The rows of comma-separated text whose first line names the columns. Fields contain no comma, quote or line break. */
export function readTable(text: string, file: string): readonly Row[] {
  const [header = '', ...lines] = text.trimEnd().split('\n');
  const columns = header.split(',');
  return lines.map((line, index) => {
    const fields = line.split(',');
    const place = `${file}:${index + 2}`;
    if (fields.length !== columns.length) {
      throw rowsFault(place, `the row has ${fields.length} fields, and the header ${columns.length}`);
    }
    return new Row(place, new Map(columns.map((column, at) => [column, fields[at] ?? ''])));
  });
}

export function writeTable(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  return [columns, ...rows].map((row) => `${row.map(field).join(',')}\n`).join('');
}

/** Names come from scripts and machines, so what separates fields is replaced. */
function field(text: string): string {
  return text.replaceAll(/[,"\r\n]/g, ' ');
}
