import { type Entry, fromBufferPromise } from 'yauzl';
import { Fault } from '../../model/fault.ts';

/** Unix file type in the upper half of an entry's external attributes; 0 if the archive was not made on Unix. */
const fileTypeMask = 0o170000;
const regularFile = 0o100000;
const encryptedFlag = 0x1;

function hostile(place: string, cause: string, options?: ErrorOptions): Fault {
  return new Fault(
    {
      code: 'E_ARTIFACT_HOSTILE',
      kind: 'measurement',
      place,
      cause,
      nextStep: 'run the check of this pull request again; nothing in the archive was used',
    },
    options,
  );
}

/** An honest report can be too large if its requests have ids in their names, so this is not called hostile. */
export function tooLarge(place: string, mostBytes: number): Fault {
  return new Fault({
    code: 'E_ARTIFACT_SIZE',
    kind: 'measurement',
    place,
    cause: `it has more than ${mostBytes} bytes`,
    nextStep:
      "read the check's own log, which says if its report is too long to publish; nothing of it was used",
  });
}

/** Throws unless the entry is a plain file of that name whose declared size is small enough. */
function refuseUnlessPlain(entry: Entry, name: string, mostBytes: number, place: string): void {
  const type = (entry.externalFileAttributes >>> 16) & fileTypeMask;
  if (entry.fileName !== name) {
    throw hostile(place, `it contains ${JSON.stringify(entry.fileName.slice(0, 100))} instead of ${name}`);
  }
  if (type !== 0 && type !== regularFile) throw hostile(place, `${name} is not a regular file`);
  if ((entry.generalPurposeBitFlag & encryptedFlag) !== 0) throw hostile(place, `${name} is encrypted`);
  if (entry.uncompressedSize > mostBytes) throw tooLarge(place, mostBytes);
}

/** Counts the bytes as they arrive, because the sizes that others declare can be false. */
export async function readCapped(
  stream: AsyncIterable<unknown>,
  mostBytes: number,
  tooMany: () => Fault,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw tooMany();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Reads the only file of an untrusted archive, without writing to disk. */
export async function readOnlyFile(
  archive: Buffer,
  name: string,
  mostBytes: number,
  place: string,
): Promise<string> {
  try {
    const zip = await fromBufferPromise(archive, { strictFileNames: true, validateEntrySizes: true });
    if (zip.entryCount !== 1) {
      throw hostile(place, `it contains ${zip.entryCount} files instead of only ${name}`);
    }
    let content: Buffer | undefined;
    for await (const entry of zip.eachEntry()) {
      refuseUnlessPlain(entry, name, mostBytes, place);
      content = await readCapped(await zip.openReadStreamPromise(entry), mostBytes, () =>
        hostile(place, `${name} unpacks to more than ${mostBytes} bytes`),
      );
    }
    if (content === undefined) throw hostile(place, 'it contains no file');
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch (error) {
    if (error instanceof Fault) throw error;
    const cause = `it is not an archive of one text file: ${(error as Error).message}`;
    throw hostile(place, cause, { cause: error });
  }
}
