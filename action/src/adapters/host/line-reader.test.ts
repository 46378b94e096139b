import { array, assert, constantFrom, property } from 'fast-check';
import { expect, it } from 'vitest';
import { LineReader } from './line-reader.ts';

function read(...pieces: readonly string[]): string[] {
  const lines: string[] = [];
  const reader = new LineReader((line) => lines.push(line));
  for (const piece of pieces) reader.feed(piece);
  reader.end();
  return lines;
}

it('makes the same lines, whatever pieces the text arrives in', () => {
  const piece = array(constantFrom('a', 'é', '\r', '\n')).map((letters) => letters.join(''));
  assert(
    property(array(piece), (pieces) => {
      const text = pieces.join('');
      // Splitting nothing gives one line, which nobody printed.
      expect(read(...pieces)).toEqual(text === '' ? [] : text.replace(/\n$/, '').split('\n'));
    }),
  );
});

it('keeps only the beginning of a line that does not end', () => {
  const endless = Array.from({ length: 100 }, () => 'x'.repeat(2_000));
  const [line, next] = read(...endless, 'x\nnext\n');
  expect(line).toBe('x'.repeat(64 * 1024));
  expect(next).toBe('next');
});
