import { writeFault, writeFileAtomically } from '../../adapters/host/index.ts';

/** Keeps results in a file of the repository, which is indented so that git shows what changed. */
export async function keepResults(path: string, found: unknown): Promise<void> {
  try {
    await writeFileAtomically(path, `${JSON.stringify(found, undefined, 1)}\n`);
  } catch (error) {
    throw writeFault(error, path, 'E_RESULTS_WRITE');
  }
}
