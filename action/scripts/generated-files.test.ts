import { createFixture } from 'fs-fixture';
import { describe, expect, it } from 'vitest';
import { type GeneratedFile, staleFiles, withParts, writeFiles } from './generated-files.ts';

describe('parts of a text', () => {
  const text = 'before\n<!-- a:begin -->\nold\n<!-- a:end -->\nafter\n';

  it('are replaced between their marks, which stay', () => {
    const once = withParts(text, { a: 'new' });
    expect(once).toBe('before\n<!-- a:begin -->\n\nnew\n\n<!-- a:end -->\nafter\n');
    expect(withParts(once, { a: 'new' })).toBe(once);
  });

  it.each(['b', 'a:end --><!-- a'])('are refused where %s has no marks', (name) => {
    expect(() => withParts(text, { [name]: 'new' })).toThrow('the text lacks');
  });
});

describe('generated files', () => {
  const file: GeneratedFile = {
    path: 'table.md',
    wanted: 'one\ntwo\n',
    code: 'E_TABLE_STALE',
    source: 'the source',
  };

  it('are stale until they are written', async () => {
    await using fixture = await createFixture({});
    expect(staleFiles(fixture.path, [file], 'npm run generate')[0]).toContain(
      'error[E_TABLE_STALE] table.md',
    );
    writeFiles(fixture.path, [file]);
    expect(staleFiles(fixture.path, [file], 'npm run generate')).toEqual([]);
  });

  it('report the first line that differs and the command that writes it', async () => {
    await using fixture = await createFixture({ 'table.md': 'one\n2\n' });
    const [message = ''] = staleFiles(fixture.path, [file], 'npm run generate');
    expect(message).toContain('@@ line 2 @@\n- 2');
    expect(message).toContain('+ two');
    expect(message).toContain('next: npm run generate');
  });
});
