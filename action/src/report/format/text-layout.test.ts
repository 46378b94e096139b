import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainPaint } from './paint.ts';
import { displayWidth, renderTable, shorten, truncate, wrap } from './text-layout.ts';

describe('layout', () => {
  it('counts columns, not characters', () => {
    expect(truncate('東京都', 5)).toBe('東京…');
    expect(truncate('short', 5)).toBe('short');
  });

  it('shortens by characters as people count them', () => {
    expect(shorten('東京都', 2)).toBe('東…');
    expect(shorten('東京都', 3)).toBe('東京都');
    expect(shorten('👩‍💻👩‍💻', 2)).toBe('👩‍💻👩‍💻');
    expect(shorten('👩‍💻👩‍💻👩‍💻', 2)).toBe('👩‍💻…');
  });

  it('keeps intervals and units together', () => {
    expect(wrap('p95 +48% [+31, +66], limit 12 ms', 12)).toEqual(['p95 +48%', '[+31, +66],', 'limit 12 ms']);
  });

  it('never exceeds the width', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 300 }),
        fc.integer({ min: 10, max: 140 }),
        (text, width) => {
          for (const line of wrap(text, width, '  ', '    '))
            expect(displayWidth(line)).toBeLessThanOrEqual(width);
        },
      ),
    );
  });

  it('drops optional columns from a table that is too wide, then cuts its first column', () => {
    const titles = ['one', 'two', 'three'];
    const table = {
      columns: titles.map((title) => ({ title, align: 'left', optional: title === 'three' }) as const),
      rows: [titles.map(() => ({ text: 'a-rather-long-text' }))],
    };
    expect(renderTable(table, 80, plainPaint)[0]).toContain('three');
    expect(renderTable(table, 40, plainPaint)[0]).not.toContain('three');
    expect(renderTable(table, 30, plainPaint)[1]).toBe('a-rather-…  a-rather-long-text');
  });

  it('pads before it paints', () => {
    const table = {
      columns: [
        { title: 'a', align: 'right' },
        { title: 'b', align: 'right' },
      ],
      rows: [
        [{ text: '1', style: 'red' }, { text: '22' }],
        [{ text: '333' }, { text: '4' }],
      ],
    } as const;
    expect(renderTable(table, 80, (style, text) => (style === 'red' ? `<${text}>` : text))).toEqual([
      '  a   b',
      '  <1>  22',
      '333   4',
    ]);
  });
});
