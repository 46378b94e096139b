import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { arch } from 'node:os';
import { join } from 'node:path';
import { cacheDir, downloadTool, extractTar, find } from '@actions/tool-cache';
import { Fault } from '../../model/fault.ts';
import { untilAborted } from '../host/index.ts';

/**
 * SHA-256 of k6's own archives. The list of checksums in a release never decides: whoever can replace an archive can
 * replace the list too.
 */
export const knownK6Archives: ReadonlyMap<string, string> = new Map([
  ['k6-v2.2.0-linux-amd64.tar.gz', 'b5a8003c86f35f5cd5ceef1490312c48e587696c94d998cefc6d7b3b4cb1597d'],
  ['k6-v2.2.0-linux-arm64.tar.gz', '4ecd64cadcc792402d16293836115480419c4447c032858f564852d98f1bf54c'],
]);

export interface K6Download {
  /** Such as `2.2.0`. */
  readonly version: string;
  /** Checksum of the archive. Without it the known checksum counts. */
  readonly sha256: string | undefined;
  /** Address of the releases, without the version's folder. */
  readonly url: string;
  /** Ends the wait for the release page; the call then rejects with the signal's reason. */
  readonly signal: AbortSignal;
}

/**
 * Gets exactly that k6 from the runner's tool cache or the release page. Returns the binary's path. No redirect leaves
 * https, because the runner's HTTP client refuses one that does.
 */
export async function downloadK6({ version, sha256, url, signal }: K6Download): Promise<string> {
  const present = find('k6', version);
  if (present !== '') return join(present, 'k6');
  const name = `k6-v${version}-linux-${arch() === 'arm64' ? 'arm64' : 'amd64'}`;
  const release = `${url}/v${version}`;
  const expected = sha256 ?? knownK6Archives.get(`${name}.tar.gz`);
  if (expected === undefined) {
    throw new Fault({
      code: 'E_K6_UNPINNED',
      kind: 'usage',
      place: `${release}/${name}.tar.gz`,
      cause: `the gate knows no checksum of k6 ${version}, so it does not download it`,
      nextStep:
        'set `checksum` to the SHA-256 of this archive, or put this version of k6 on PATH before this step',
    });
  }
  try {
    const archive = await untilAborted(signal, () => downloadTool(`${release}/${name}.tar.gz`));
    const actual = createHash('sha256')
      .update(await readFile(archive))
      .digest('hex');
    if (actual !== expected) {
      throw new Fault({
        code: 'E_K6_CHECKSUM',
        kind: 'measurement',
        place: `${release}/${name}.tar.gz`,
        cause: `the archive's SHA-256 is ${actual} instead of ${expected}, so it was not used`,
        nextStep: 'check whether a proxy changes downloads, or correct `checksum`',
      });
    }
    const unpacked = await extractTar(archive);
    return join(await cacheDir(join(unpacked, name), 'k6', version), 'k6');
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Fault) throw error;
    throw new Fault(
      {
        code: 'E_K6_DOWNLOAD',
        kind: 'measurement',
        place: release,
        cause: `k6 ${version} could not be downloaded: ${(error as Error).message}`,
        nextStep: 'run the job again, or put this version of k6 on PATH before this step',
      },
      { cause: error },
    );
  }
}
