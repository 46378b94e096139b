import { createK6, downloadK6 } from '../../adapters/k6/index.ts';
import { Fault } from '../../model/fault.ts';
import type { GateInputs } from '../github/inputs.ts';

const k6Releases = 'https://github.com/grafana/k6/releases/download';

/** An installed k6 of exactly this version, or else a download: figures differ between versions. */
export async function findK6(
  inputs: Pick<GateInputs, 'k6-version' | 'checksum'>,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<string> {
  const version = inputs['k6-version'];
  for (const binary of [env.GATE_K6 ?? '', 'k6'].filter((one) => one !== '')) {
    if (await isVersion(binary, env.PATH, version)) return binary;
  }
  const url = env.PERF_GATE_K6_URL ?? k6Releases;
  return downloadK6({ version, sha256: inputs.checksum, url, signal });
}

async function isVersion(binary: string, path: string | undefined, version: string): Promise<boolean> {
  try {
    const k6 = createK6({ binary, ...(path === undefined ? {} : { path }) });
    return (await k6.version()) === version;
  } catch (error) {
    // A missing or broken k6 is not an error here, because the download can replace it.
    if (error instanceof Fault) return false;
    throw error;
  }
}
