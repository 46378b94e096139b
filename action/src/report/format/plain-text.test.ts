import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainText, plainValue } from './plain-text.ts';

describe('text from outside', () => {
  it('loses escape sequences with their parameters', () => {
    expect(plainText('a\u001b[31mred\u001b[0m b')).toBe('ared b');
    expect(plainText('\u001b]0;title\u0007x\u001b]8;;http://e.vil\u001b\\link')).toBe('xlink');
    expect(plainText('\u009b2Jx')).toBe('x');
  });

  it('stays on one line', () => {
    expect(plainText('a\r\nb\tc\u0085d\u2028e')).toBe('a b c d e');
  });

  it('keeps letters of any script, and emoji', () => {
    expect(plainText('Zürich 東京 👩‍💻')).toBe('Zürich 東京 👩‍💻');
  });

  it('loses invisible characters: fillers, tags, isolates and soft hyphens', () => {
    expect(plainText('a\u3164b\u{e0041}c\u2066d\u00ade\u034ff\u061cg')).toBe('abcdefg');
  });

  it('contains no control or reordering character, for any input', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const plain = plainText(text);
        expect(plain).not.toMatch(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
  });

  it('is bounded in length', () => {
    expect(plainText('x'.repeat(10_000))).toHaveLength(601);
  });

  it('becomes plain at any depth of a value', () => {
    expect(plainValue({ 'k\u0007': ['\u001b[1mx', 1, null, true] })).toEqual({ k: ['x', 1, null, true] });
  });
});
