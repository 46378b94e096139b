/** Variables with such names hold secrets. The shell's own PWD is a folder, and an ASKPASS is a program. */
const secretName =
  /PASSWORD|PASSWD|PASSPHRASE|TOKEN|SECRET|KEY|CREDENTIAL|DSN$|(?<!ASK)PASS$|(?<!^|^OLD)PWD$/i;
/** Passwords in addresses: `scheme://user:password@host` and `?password=...`. */
const addressPasswords = [/:\/\/[^\s/?#:@]*:([^\s/?#,]+)@/g, /[?&;](?:password|pwd)=([^\s&;]+)/gi];
/** Such a value is a switch or a number. Masking it would damage every line and hide nothing. */
const harmless = /^(?:.{0,3}|true|false|none|null|default|\d{1,5})$/i;
/** Shorter lines of a value also occur in unrelated texts. */
const shortestLine = 8;
const mask = '***';

/** Masks secrets in texts that are shown or saved. */
export class Secrets {
  readonly #values = new Set<string>();
  readonly #names = new Set<string>();
  /** Finds the values. Undefined until it is needed, and again after a change. */
  #pattern: RegExp | undefined;

  /** Adds the values of variables whose names mark them as secret, and the passwords in addresses. */
  addFrom(env: Readonly<Record<string, string | null | undefined>>): void {
    for (const [name, value] of Object.entries(env)) {
      if (typeof value !== 'string') continue;
      if (secretName.test(name)) this.add(value);
      for (const [, password = ''] of addressPasswords.flatMap((form) => [...value.matchAll(form)])) {
        this.add(password);
        this.add(decoded(password));
      }
    }
  }

  add(value: string): void {
    const lines = value.split(/\r?\n/).map((line) => line.trim());
    for (const part of [value, ...lines.filter((line) => lines.length > 1 && line.length >= shortestLine)]) {
      if (harmless.test(part)) continue;
      // Addresses and JSON contain it in an encoded form.
      for (const form of [part, encodeURIComponent(part), JSON.stringify(part).slice(1, -1)]) {
        this.#values.add(form);
      }
    }
    this.#pattern = undefined;
  }

  /** These names are public in the project's files, so they stay readable and are no secrets even as values. */
  exceptNames(names: Iterable<string>): void {
    for (const name of names) this.#names.add(name);
    this.#pattern = undefined;
  }

  masked(text: string): string {
    this.#pattern ??= patternOf([...this.#values].filter((value) => !this.#names.has(value)));
    // Most lines of a log hold no secret, and looking for each name takes much longer.
    if (text.search(this.#pattern) < 0) return text;
    const kept = this.#placesOfNames(text);
    return text.replace(this.#pattern, (value, at: number) =>
      kept.some(({ from, to }) => from <= at && at + value.length <= to) ? value : mask,
    );
  }

  #placesOfNames(text: string): readonly { readonly from: number; readonly to: number }[] {
    return [...this.#names].flatMap((name) =>
      [...text.matchAll(new RegExp(`(?<![\\w-])${escaped(name)}(?![\\w-])`, 'g'))].map(({ index }) => ({
        from: index,
        to: index + name.length,
      })),
    );
  }
}

/** Finds each of the values, or nothing if there are none. */
function patternOf(values: readonly string[]): RegExp {
  // Longest first, because one secret may start with another.
  const longestFirst = values.toSorted((a, b) => b.length - a.length);
  return new RegExp(longestFirst.map(escaped).join('|') || '(?!)', 'g');
}

/** Decodes `%40` and the like in the password of an address. A password may also contain a plain `%`. */
function decoded(password: string): string {
  try {
    return decodeURIComponent(password);
  } catch (error) {
    if (error instanceof URIError) return password;
    throw error;
  }
}

/** The variables that hold a secret, going by their names and by passwords in addresses. */
export function secretVariablesIn(env: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) => {
    const secrets = new Secrets();
    secrets.addFrom({ [name]: value });
    return secrets.masked(value) === value ? [] : [name];
  });
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
