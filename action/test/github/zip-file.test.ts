import { beforeAll, describe, expect, it } from 'vitest';
import { readOnlyFile } from '../../src/adapters/github/zip-file.ts';
import { archiveOf, forged } from './archive.ts';

const name = 'report.json';
const mebibyte = 1024 * 1024;
const read = (archive: Buffer) => readOnlyFile(archive, name, 8 * mebibyte, 'artifact');
const plain = () => archiveOf({ name, content: '{"a":1}' });

/** Overwrites the unpacked size in the only entry of the central directory. */
function claimSize(archive: Buffer, size: number): Buffer {
  const copy = Buffer.from(archive);
  const entry = copy.indexOf(Buffer.from('PK\x01\x02', 'latin1'));
  copy.writeUInt32LE(size, entry + 24);
  return copy;
}

let bomb: Buffer;

beforeAll(async () => {
  bomb = await archiveOf({ name, content: Buffer.alloc(300 * mebibyte) });
}, 60_000);

describe('reading the only file of an archive', () => {
  it('returns its text, with or without a file mode', async () => {
    expect(await read(await plain())).toBe('{"a":1}');
    expect(await read(await archiveOf({ name, content: 'x', mode: 0o100600 }))).toBe('x');
  });

  it.each([
    [
      'a path out of it',
      async () =>
        forged(await archiveOf({ name: 'xx/report.json', content: '{}' }), 'xx/report', '../report'),
    ],
    [
      'an absolute path',
      async () =>
        forged(await archiveOf({ name: 'xreport.json', content: '{}' }), 'xreport.json', '/report.json'),
    ],
    [
      'a backslash',
      async () =>
        forged(await archiveOf({ name: 'xx_report.json', content: '{}' }), 'xx_report', '..\\report'),
    ],
    ['a folder before the name', () => archiveOf({ name: 'a/report.json', content: '{}' })],
    ['another name', () => archiveOf({ name: 'report.jsonl', content: '{}' })],
    ['a symbolic link', () => archiveOf({ name, content: '/etc/passwd', mode: 0o120777 })],
    ['a folder', () => archiveOf({ name, content: '', mode: 0o040755 })],
    ['a pipe', () => archiveOf({ name, content: '', mode: 0o010644 })],
    ['two files', () => archiveOf({ name, content: '{}' }, { name: 'other.json', content: '{}' })],
    ['the same file twice', () => archiveOf({ name, content: '{}' }, { name, content: '[]' })],
    ['no file', () => archiveOf()],
    ['a file of 300 MiB that claims to be small', async () => claimSize(bomb, 100)],
    ['bytes that are no text', () => archiveOf({ name, content: Buffer.from([0xff, 0xfe, 0xc3]) })],
    ['nothing at all', async () => Buffer.alloc(0)],
    ['something else', async () => Buffer.from('{"a":1}')],
  ])('refuses %s', async (_, make) => {
    const archive = await make();
    const before = process.memoryUsage().rss;
    await expect(read(archive)).rejects.toMatchObject({ details: { code: 'E_ARTIFACT_HOSTILE' } });
    // This is far below the size of the unpacked file.
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * mebibyte);
  });

  it('rejects a file that declares 300 MiB', async () => {
    await expect(read(bomb)).rejects.toMatchObject({ details: { code: 'E_ARTIFACT_SIZE' } });
  });

  it('rejects an archive that is cut off at any byte', async () => {
    const archive = await plain();
    for (let length = 0; length < archive.length; length += 1) {
      await expect(read(archive.subarray(0, length))).rejects.toMatchObject({
        details: { code: 'E_ARTIFACT_HOSTILE' },
      });
    }
  });
});
