import { array, assert, constantFrom, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineReader, WholeLines } from './line-reader.ts';

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

describe('whole lines', () => {
  function pass(...pieces: readonly string[]): string[] {
    const passed: string[] = [];
    const reader = new WholeLines((lines) => passed.push(lines));
    for (const piece of pieces) reader.feed(piece);
    reader.end();
    return passed;
  }

  it('are passed on as they come, without the line that has not ended', () => {
    expect(pass('a\nb\nc', 'd', 'e\n', '\nf')).toEqual(['a\nb\n', 'cde\n', '\n', 'f\n']);
    expect(pass()).toEqual([]);
  });

  it('have no more than the beginning of a line that arrives in too many pieces', () => {
    const endless = Array.from({ length: 100 }, () => 'x'.repeat(2_000));
    expect(pass(...endless, 'rest\nnext\n')).toEqual([`${'x'.repeat(64 * 1024)}\nnext\n`]);
  });
});
