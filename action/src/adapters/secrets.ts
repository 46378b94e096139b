/** Names of variables whose values are not for logs. */
const secretName = /PASSWORD|PASSWD|PASSPHRASE|TOKEN|SECRET|KEY|CREDENTIAL/i;
/** Such a value is a switch or a number; masking it would spoil every line and hide nothing. */
const harmless = /^(?:.{0,3}|true|false|none|null|default|\d{1,5})$/i;
const mask = '***';

/** Takes secrets out of texts that are shown or saved. */
export class Secrets {
  /** The longest first: one may begin with another. */
  #values: readonly string[] = [];

  /** Takes the values of the variables whose names say that they are secret. */
  addFrom(env: Readonly<Record<string, string | null | undefined>>): void {
    for (const [name, value] of Object.entries(env)) {
      if (secretName.test(name) && typeof value === 'string') this.add(value);
    }
  }

  add(value: string): void {
    if (harmless.test(value)) return;
    // Also as it stands in an address and in JSON.
    const forms = [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)];
    this.#values = [...new Set([...this.#values, ...forms])].sort((a, b) => b.length - a.length);
  }

  masked(text: string): string {
    return this.#values.reduce((left, value) => left.replaceAll(value, mask), text);
  }
}
