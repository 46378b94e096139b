/** Longer texts from outside (names, causes, hints) are cut: a report is no log. */
const longestText = 600;

// CSI with its parameters; OSC, DCS, PM, APC and SOS up to their end; any other two-character sequence.
const escapeSequence =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]/g;

/**
 * Characters that reorder, hide or pass unseen between what stands around them. Joiners and variation selectors are
 * left: scripts and emoji need them.
 */
const invisible = /[[\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]--[\u200c\u200d\ufe00-\ufe0f]]/gv;

/**
 * Text from outside made safe to print on one line: no escape sequences, control characters or reordering marks,
 * line breaks and tabs as spaces, bounded in length.
 */
export function plainText(text: string, longest = longestText): string {
  const cut = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return cut
    .toWellFormed()
    .replace(escapeSequence, '')
    .replace(/[\s\u0085]+/g, ' ')
    .replace(invisible, '');
}

/** The value with every text in it, names of keys included, made plain. */
export function plainValue<T>(value: T): T {
  if (typeof value === 'string') return plainText(value) as T;
  if (Array.isArray(value)) return value.map((item) => plainValue<unknown>(item)) as T;
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [plainText(key), plainValue<unknown>(item)]),
    ) as T;
  }
  return value;
}

/** An address of the web that a link may lead to; undefined for anything else, such as a script. */
export function webAddress(text: string | undefined): string | undefined {
  const url = text === undefined ? null : URL.parse(text);
  return url !== null && ['http:', 'https:'].includes(url.protocol) ? url.href : undefined;
}
