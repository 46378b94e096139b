import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

export interface ArchivedFile {
  readonly name: string;
  readonly content: Buffer | string;
  /** Unix mode, file type included. */
  readonly mode?: number;
}

export function archiveOf(...files: readonly ArchivedFile[]): Promise<Buffer> {
  const zip = new ZipFile();
  for (const { name, content, mode } of files) {
    zip.addBuffer(Buffer.from(content), name, mode === undefined ? {} : { mode });
  }
  zip.end();
  return buffer(zip.outputStream);
}

/** Every occurrence of the text replaced by one of the same length: names that no honest tool writes. */
export function forged(archive: Buffer, from: string, to: string): Buffer {
  if (from.length !== to.length) throw new Error('a forged name has the length of the true one');
  return Buffer.from(archive.toString('latin1').replaceAll(from, to), 'latin1');
}
