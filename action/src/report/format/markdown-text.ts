import { longestName, type Phrase } from '../content/phrase.ts';
import { plainText, webAddress } from './plain-text.ts';
import { shorten } from './text-layout.ts';

/**
 * Text from outside as Markdown that GitHub shows as it stands. Escaping is not enough for what GitHub looks for in
 * the finished page (mentions, references, addresses, emoji): a space of no width keeps that from being recognised.
 */

const noWidth = '&#8203;';

/** What GitHub or CommonMark would act upon, in one pass, so that nothing is escaped twice. */
const active = /[&<>|$\\`*_~[\]]|@(?!\s)|#(?=\d)|GH-(?=\d)|:(?=\/\/|[\w+-]+:)|www(?=\.)/gi;

/** Tables, HTML and mathematics are looked for before backslashes are understood. */
function escapeMatch(match: string): string {
  if (/^[&<>|$\\]$/.test(match)) return `&#${match.charCodeAt(0)};`;
  return /^[`*_~[\]]$/.test(match) ? `\\${match}` : match + noWidth;
}

/** Words that follow others on a line, or stand in a cell of a table. */
export function markdownInline(text: string, longest?: number): string {
  return plainText(text, longest).trim().replace(active, escapeMatch);
}

/** Words that may begin a line: they make no heading, list or rule of it. */
export function markdownText(text: string, longest?: number): string {
  return markdownInline(text, longest)
    .replace(/^[-+=#]/, '\\$&')
    .replace(/^(\d+)([.)])/, '$1\\$2');
}

/**
 * A name or a command as code. Escapes are not understood within it, and parsers disagree on a pipe after a backslash
 * in a table: the two characters that could end it or the cell are replaced by ones that look like them.
 */
export function markdownCode(text: string, longest = longestName): string {
  const name = shorten(plainText(text).trim(), longest).trim();
  return name === '' ? '(no name)' : `\`${name.replaceAll('`', 'ˋ').replaceAll('|', '¦')}\``;
}

/** The phrase with each of its parts as what it is. */
export function markdownPhrase(phrase: Phrase): string {
  return phrase
    .map((part) => {
      if (typeof part === 'string') return part.replace(active, escapeMatch);
      if ('strong' in part) return `**${part.strong}**`;
      return 'literal' in part
        ? markdownCode(part.literal, part.longest)
        : markdownInline(part.text, part.longest);
    })
    .join('');
}

/** A link to a web page; its text alone if the address is not one. */
export function markdownLink(text: string, address: string | undefined): string {
  const target = webAddress(address)?.replace(
    /[()<>|\\`]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return target === undefined ? markdownText(text) : `[${markdownText(text)}](${target})`;
}
