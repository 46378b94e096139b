import { longestName, type Phrase } from './phrase.ts';
import { plainText, webAddress } from './plain-text.ts';
import { shorten } from './text-layout.ts';

/** Escapes for both text and attributes, so that a value can neither end an attribute nor start an element. */
function escapeHtml(text: string): string {
  return text
    .replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`)
    .replace(/\p{Noncharacter_Code_Point}/gu, '\ufffd');
}

/** Words from outside as HTML that shows them literally. */
export function htmlText(text: string, longest?: number): string {
  return escapeHtml(plainText(text, longest).trim());
}

/** A name or a command as code. */
function htmlCode(text: string, longest = longestName): string {
  const name = shorten(plainText(text).trim(), longest).trim();
  return name === '' ? '(no name)' : `<code>${escapeHtml(name)}</code>`;
}

export function htmlPhrase(phrase: Phrase): string {
  return phrase
    .map((part) => {
      if (typeof part === 'string') return escapeHtml(part);
      if ('strong' in part) return `<strong>${escapeHtml(part.strong)}</strong>`;
      if ('link' in part) return htmlLink(part.link, part.address);
      return 'literal' in part ? htmlCode(part.literal, part.longest) : htmlText(part.text, part.longest);
    })
    .join('');
}

/** A link to a web page, or only its text if the address is not one. */
function htmlLink(text: string, address: string | undefined): string {
  const target = webAddress(address);
  return target === undefined ? htmlText(text) : `<a href="${escapeHtml(target)}">${htmlText(text)}</a>`;
}
