import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadConfig } from '../../adapters/config/index.ts';
import { type BenchInput, readBlockRows } from '../../detection/index.ts';
import { planSuite } from '../../measure/index.ts';
import { Fault } from '../../model/fault.ts';

/** Where the bench reads from; plain data, so that other threads can read the same. */
export interface DetectionFiles {
  /** Absolute. */
  readonly configPath: string;
  readonly suite: string;
  /** Folder of the recorded rows, absolute. */
  readonly folder: string;
}

/** Recorded rows lie next to the configuration that they were recorded with. */
export function detectionFolder(configDirectory: string): string {
  return join(configDirectory, 'detection');
}

/** The recorded runs, with what judges them. */
export function readDetectionInput({ configPath, suite, folder }: DetectionFiles): BenchInput {
  const { config } = loadConfig(resolve(configPath));
  const files = { runs: join(folder, 'runs.csv'), blocks: join(folder, 'blocks.csv') };
  const rows = { runs: readRows(files.runs), blocks: readRows(files.blocks) };
  return { recorded: readBlockRows(rows, files), config, plan: planSuite(config, suite, configPath) };
}

function readRows(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Fault(
      {
        code: 'E_ROWS_READ',
        kind: 'usage',
        place: path,
        cause: `the recorded rows cannot be read (${(error as NodeJS.ErrnoException).code ?? error})`,
        nextStep: 'run it in a checkout of perf-gate, or name a configuration with recorded rows next to it',
      },
      { cause: error },
    );
  }
}
