import { longestName, type Phrase } from './phrase.ts';
import { plainText, webAddress } from './plain-text.ts';
import { shorten } from './text-layout.ts';

/**
 * Text from outside as Markdown that GitHub shows literally. GitHub looks for mentions, references, addresses and
 * emoji after rendering, where escapes no longer help: a zero-width space stops it from recognising them.
 */

const zeroWidthSpace = '&#8203;';

/** Everything GitHub or CommonMark acts on, matched in one pass so that nothing is escaped twice. */
const active = /[&<>|$\\`*_~[\]]|@(?!\s)|#(?=\d)|GH-(?=\d)|:(?=\/\/|[\w+-]+:)|www(?=\.)/gi;

/** GitHub parses tables, HTML and mathematics before backslash escapes, so those need character references. */
function escapeMatch(match: string): string {
  if (/^[&<>|$\\]$/.test(match)) return `&#${match.charCodeAt(0)};`;
  return /^[`*_~[\]]$/.test(match) ? `\\${match}` : match + zeroWidthSpace;
}

/** Words in the middle of a line or in a table cell. */
export function markdownInline(text: string, longest?: number): string {
  return plainText(text, longest).trim().replace(active, escapeMatch);
}

/** Markdown that begins a line, kept from becoming a heading, list or rule. */
export function markdownLine(markdown: string): string {
  return markdown.replace(/^[-+=#]/, '\\$&').replace(/^(\d+)([.)])/, '$1\\$2');
}

/**
 * A name or a command as code. Escapes do not work inside code, and parsers disagree about an escaped pipe in a table.
 * So similar-looking characters replace the two that could end the code or the cell.
 */
export function markdownCode(text: string, longest = longestName): string {
  const name = shorten(plainText(text).trim(), longest).trim();
  return name === '' ? '(no name)' : `\`${name.replaceAll('`', 'ˋ').replaceAll('|', '¦')}\``;
}

export function markdownPhrase(phrase: Phrase): string {
  return phrase
    .map((part) => {
      if (typeof part === 'string') return part.replace(active, escapeMatch);
      if ('strong' in part) return `**${part.strong}**`;
      if ('link' in part) return markdownLink(part.link, part.address);
      return 'literal' in part
        ? markdownCode(part.literal, part.longest)
        : markdownInline(part.text, part.longest);
    })
    .join('');
}

/** A link to a web page, or only its text if the address is not one. */
export function markdownLink(text: string, address: string | undefined): string {
  const target = webAddress(address)?.replace(
    /[()<>|\\`]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return target === undefined ? markdownInline(text) : `[${markdownInline(text)}](${target})`;
}
