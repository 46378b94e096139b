import { plainText } from '../format/plain-text.ts';

/** As long as the longest name that gate.yml allows for a service. */
const longestTag = 100;

/**
 * A name from outside as the value of a tag: one line without control characters, never empty. The line protocol has no
 * way to write a backslash at the end of a tag.
 */
export function tagValue(text: string): string {
  const tag = plainText(text, longestTag).replaceAll('\\', '/').trim();
  return tag === '' ? '(none)' : tag;
}

/** `poolPending` as `pool_pending`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
