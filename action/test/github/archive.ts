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

/** Replaces every occurrence of the text, to forge names that no honest tool writes. Both texts have the same length. */
export function forged(archive: Buffer, from: string, to: string): Buffer {
  if (from.length !== to.length) throw new Error('a forged name must be as long as the original one');
  return Buffer.from(archive.toString('latin1').replaceAll(from, to), 'latin1');
}
