import type { Phrase } from './phrase.ts';
import { shorten } from './text-layout.ts';

/** Longer texts from outside (names, causes, hints) are cut, because a report is not a log. */
const longestText = 600;

// CSI with its parameters; OSC, DCS, PM, APC and SOS up to their end; any other two-character sequence.
const escapeSequence =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this pattern exists to find control characters
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]/g;

/** Characters that reorder or hide their neighbours. Scripts and emoji need joiners and variation selectors. */
const invisible = /[[\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]--[\u200c\u200d\ufe00-\ufe0f]]/gv;

/** Text from outside made safe for one line: no escape sequences, control characters or reordering marks. */
export function plainText(text: string, longest = longestText): string {
  const cut = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return cut
    .toWellFormed()
    .replace(escapeSequence, '')
    .replace(/[\s\u0085]+/g, ' ')
    .replace(invisible, '');
}

/**
 * The value with every text in it made plain, including the names of fields. `textOf` receives the field that holds the
 * text, also for a list of texts.
 */
export function plainValue<T>(
  value: T,
  textOf: (text: string, field: string) => string = (text) => plainText(text),
  field = '',
): T {
  if (typeof value === 'string') return textOf(value, field) as T;
  if (Array.isArray(value)) return value.map((item) => plainValue<unknown>(item, textOf, field)) as T;
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [plainText(key), plainValue<unknown>(item, textOf, key)]),
    ) as T;
  }
  return value;
}

/** The address if a link may lead there; undefined for anything but the web, such as a script. */
export function webAddress(text: string | undefined): string | undefined {
  const url = text === undefined ? null : URL.parse(text);
  return url !== null && ['http:', 'https:'].includes(url.protocol) ? url.href : undefined;
}

/** The phrase for outputs without markup. */
export function plainPhrase(phrase: Phrase): string {
  return phrase
    .map((part) => {
      if (typeof part === 'string') return part;
      if ('strong' in part) return part.strong;
      if ('link' in part) return part.link;
      const { longest } = part;
      const text = plainText('literal' in part ? part.literal : part.text);
      return longest === undefined ? text : shorten(text, longest);
    })
    .join('');
}
