import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BaselineStore, storedRuns } from '../../check/index.ts';
import { type Baseline, type BaselineRead, baselineSchemaVersion } from '../../model/baseline.ts';
import { Fault } from '../../model/fault.ts';
import { type LockHolder, shownPath, takeLock, writeFault, writeFileAtomically } from '../host/index.ts';
import { baselineText, parseBaseline } from './baseline-json.ts';
import { withRun } from './retention.ts';

/** Writing takes milliseconds, so a process that holds the lock longer than this is stuck. */
const defaultLockWaitMs = 30_000;

/** The folder belongs to one machine, whose runs are already in the order of their start times. */
const unknownAncestry = new Map<string, number>();

function locked(place: string, holder: LockHolder | undefined): Fault {
  return new Fault({
    code: 'E_BASELINE_LOCKED',
    kind: 'measurement',
    place,
    cause:
      holder === undefined
        ? 'another check is writing, or was stopped before it could write its name'
        : `process ${holder.pid} on ${holder.host} has been writing since ${holder.since}`,
    nextStep: 'wait for it to end; if it no longer runs, delete this file',
  });
}

/** Keeps the baseline in `baseline.json` in a folder of this machine. Several checks may use it at once. */
export function createFileStore(directory: string, lockWaitMs = defaultLockWaitMs): BaselineStore {
  const path = join(directory, 'baseline.json');
  const lockPath = `${path}.lock`;
  const place = shownPath(path);

  async function read(): Promise<BaselineRead> {
    try {
      return parseBaseline(await readFile(path, 'utf8'), place);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return { kind: 'missing' };
      throw new Fault(
        {
          code: 'E_BASELINE_READ',
          kind: 'measurement',
          place,
          cause: `the file cannot be read (${code ?? String(error)})`,
          nextStep: 'make it readable for this user',
        },
        { cause: error },
      );
    }
  }

  return {
    place,
    read,
    async append(run, keep) {
      try {
        await mkdir(directory, { recursive: true });
        const release = await takeLock(lockPath, lockWaitMs, (holder) => locked(lockPath, holder));
        try {
          const runs = withRun(storedRuns(await read()), run, keep, unknownAncestry);
          const baseline: Baseline = { schema: baselineSchemaVersion, runs };
          await writeFileAtomically(path, baselineText(baseline));
          return baseline;
        } finally {
          await release();
        }
      } catch (error) {
        throw writeFault(error, place, 'E_BASELINE_WRITE');
      }
    },
  };
}
