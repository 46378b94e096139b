import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { arch } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { cacheDir, downloadTool, extractTar, find } from '@actions/tool-cache';
import { Fault } from '../../model/fault.ts';
import { untilAborted } from '../host/index.ts';
import { knownK6Archives } from './checksums.ts';

export interface K6Download {
  /** Such as `2.2.0`. */
  readonly version: string;
  /** Of the archive; by default what is known of it, or else what the release itself lists. */
  readonly sha256: string | undefined;
  /** Folder of the releases, without the version's own. */
  readonly url: string;
  /** Gives up waiting for the release page; the call then rejects with the signal's reason. */
  readonly signal: AbortSignal;
}

function fault(code: string, place: string, cause: string, nextStep: string, error?: unknown): Fault {
  return new Fault(
    { code, kind: 'measurement', place, cause, nextStep },
    error === undefined ? undefined : { cause: error },
  );
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/** The k6 of exactly that version, from the runner's tool cache or the release page. Returns the binary's path. */
export async function downloadK6({ version, sha256, url, signal }: K6Download): Promise<string> {
  const present = find('k6', version);
  if (present !== '') return join(present, 'k6');
  const platform = `linux-${arch() === 'arm64' ? 'arm64' : 'amd64'}`;
  const name = `k6-v${version}-${platform}`;
  const release = `${url}/v${version}`;
  const download = (file: string) => untilAborted(signal, () => downloadTool(`${release}/${file}`));
  try {
    const archive = await download(`${name}.tar.gz`);
    const wanted =
      sha256 ??
      knownK6Archives.get(`${name}.tar.gz`) ??
      (await checksumIn(await download(`k6-v${version}-checksums.txt`), `${name}.tar.gz`));
    const got = await sha256Of(archive);
    if (got !== wanted) {
      throw fault(
        'E_K6_CHECKSUM',
        `${release}/${name}.tar.gz`,
        `its SHA-256 is ${got}, and not ${wanted}`,
        'nothing of it was used; see whether a proxy changes downloads, or correct `k6-sha256`',
      );
    }
    const unpacked = await extractTar(archive);
    return join(await cacheDir(join(unpacked, name), 'k6', version), 'k6');
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Fault) throw error;
    throw fault(
      'E_K6_DOWNLOAD',
      release,
      `k6 ${version} could not be downloaded: ${(error as Error).message}`,
      'run the job again, or put this version of k6 on PATH before this step',
      error,
    );
  }
}

async function checksumIn(list: string, name: string): Promise<string> {
  const lines = (await readFile(list, 'utf8')).split('\n').map((line) => line.trim().split(/\s+/));
  const sum = lines.find(([, file]) => file === name)?.[0];
  if (sum === undefined) throw new Error(`the release does not list ${name}`);
  return sum;
}
