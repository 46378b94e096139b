import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { Fault } from '../../model/fault.ts';

/** Unix file types in the upper half of an entry's external attributes; 0 where the archive was not made on Unix. */
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
      nextStep: 'nothing of it was used; run the check of this pull request again',
    },
    options,
  );
}

/** Of its size alone, an honest report may be refused: one whose requests have ids in their names. */
export function tooLarge(place: string, mostBytes: number): Fault {
  return new Fault({
    code: 'E_ARTIFACT_SIZE',
    kind: 'measurement',
    place,
    cause: `it holds more than ${mostBytes} bytes`,
    nextStep:
      "nothing of it was used; the check's own log says so where its report is too long to be published",
  });
}

/** Throws unless the entry is a plain file of that name that says it is small enough. */
function refuseUnlessPlain(entry: Entry, name: string, mostBytes: number, place: string): void {
  const type = (entry.externalFileAttributes >>> 16) & fileTypeMask;
  if (entry.fileName !== name) {
    throw hostile(
      place,
      `it holds ${JSON.stringify(entry.fileName.slice(0, 100))} where only ${name} may be`,
    );
  }
  if (type !== 0 && type !== regularFile) throw hostile(place, `${name} is not a regular file in it`);
  if ((entry.generalPurposeBitFlag & encryptedFlag) !== 0) throw hostile(place, `${name} is encrypted`);
  if (entry.uncompressedSize > mostBytes) throw tooLarge(place, mostBytes);
}

/** Counts what really comes out: the sizes that an archive tells of itself are only claims. */
async function readCapped(zip: ZipFile, entry: Entry, mostBytes: number, place: string): Promise<Buffer> {
  const stream = await zip.openReadStreamPromise(entry);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    const buffer = chunk as Buffer;
    bytes += buffer.length;
    if (bytes > mostBytes) throw hostile(place, `${entry.fileName} unpacks to more than ${mostBytes} bytes`);
    chunks.push(buffer);
  }
  return Buffer.concat(chunks);
}

/** The text of the only file of an archive that somebody else made. Nothing is written anywhere. */
export async function readOnlyFile(
  archive: Buffer,
  name: string,
  mostBytes: number,
  place: string,
): Promise<string> {
  try {
    const zip = await fromBufferPromise(archive, { strictFileNames: true, validateEntrySizes: true });
    if (zip.entryCount !== 1)
      throw hostile(place, `it holds ${zip.entryCount} files where only ${name} may be`);
    let content: Buffer | undefined;
    for await (const entry of zip.eachEntry()) {
      refuseUnlessPlain(entry, name, mostBytes, place);
      content = await readCapped(zip, entry, mostBytes, place);
    }
    if (content === undefined) throw hostile(place, 'it holds no file');
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw hostile(place, `it is not an archive of one text file: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
