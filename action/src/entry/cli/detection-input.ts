import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadConfig } from '../../adapters/config/index.ts';
import { writeFault, writeFileAtomically } from '../../adapters/host/index.ts';
import {
  type BenchInput,
  type RecordedRun,
  type RowFiles,
  readBlockRows,
  writeBlockRows,
} from '../../detection/index.ts';
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

/** The recorded runs, with what judges them. */
export function readDetectionInput({ configPath, suite, folder }: DetectionFiles): BenchInput {
  const { config } = loadConfig(resolve(configPath));
  return { recorded: readRecorded(folder), config, plan: planSuite(config, suite, configPath) };
}

/** The runs whose rows are in the folder. */
export function readRecorded(folder: string): readonly RecordedRun[] {
  const files = rowFiles(folder);
  return readBlockRows({ runs: readRows(files.runs), blocks: readRows(files.blocks) }, files);
}

/** The runs whose rows are in the folder; none if it has no rows yet. */
export function readRecordedIfAny(folder: string): readonly RecordedRun[] {
  const { runs, blocks } = rowFiles(folder);
  return existsSync(runs) || existsSync(blocks) ? readRecorded(folder) : [];
}

/** Adds rows of the runs to those in the folder, which may have none yet. */
export async function addRecorded(folder: string, runs: readonly RecordedRun[]): Promise<void> {
  const files = rowFiles(folder);
  const rows = writeBlockRows([...readRecordedIfAny(folder), ...runs]);
  try {
    await writeFileAtomically(files.blocks, rows.blocks);
    await writeFileAtomically(files.runs, rows.runs);
  } catch (error) {
    throw writeFault(error, folder, 'E_RESULTS_WRITE');
  }
}

function rowFiles(folder: string): RowFiles {
  return { runs: join(folder, 'runs.csv'), blocks: join(folder, 'blocks.csv') };
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
        nextStep: 'record rows first: `gate calibrate --rows FOLDER`',
      },
      { cause: error },
    );
  }
}
