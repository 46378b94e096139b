import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type BaselineStore, baselineRefusal } from '../../check/index.ts';
import { type Baseline, type BaselineRead, baselineSchemaVersion } from '../../model/baseline.ts';
import { Fault } from '../../model/fault.ts';
import {
  type LockHolder,
  shownPath,
  takeLock,
  temporaryPrefix,
  writeFault,
  writeFileAtomically,
} from '../host/index.ts';
import { withRun } from './retention.ts';
import { baselineText, parseBaseline } from './text.ts';

/** Writing takes milliseconds; a holder that takes longer than this is stuck. */
const defaultLockWaitMs = 30_000;

/** This folder belongs to one machine, which measures in the order in which it is asked to. */
const unknownAncestry = new Map<string, number>();

function locked(place: string, holder: LockHolder | undefined): Fault {
  return new Fault({
    code: 'E_BASELINE_LOCKED',
    kind: 'measurement',
    place,
    cause:
      holder === undefined
        ? 'Another check is writing, or was stopped while it began to.'
        : `Process ${holder.pid} on ${holder.host} has been writing since ${holder.since}.`,
    nextStep: 'Wait for it to end. If it no longer runs, delete this file.',
  });
}

/** Keeps the baseline in `baseline.json` in a folder of this machine. Safe for several checks at once. */
export function createFileStore(directory: string, lockWaitMs = defaultLockWaitMs): BaselineStore {
  const path = join(directory, 'baseline.json');
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

  /** Called under the lock: whoever left these was stopped while writing. */
  async function removeLeftovers(): Promise<void> {
    const prefix = temporaryPrefix(path);
    for (const name of await readdir(dirname(path))) {
      if (name.startsWith(prefix) && name.endsWith('.tmp'))
        await rm(join(dirname(path), name), { force: true });
    }
  }

  return {
    place,
    read,
    async append(run, keep) {
      try {
        await mkdir(directory, { recursive: true });
        const release = await takeLock(`${path}.lock`, lockWaitMs, (holder) =>
          locked(`${path}.lock`, holder),
        );
        try {
          const present = await read();
          if (present.kind !== 'found' && present.kind !== 'missing')
            throw baselineRefusal(present, 'measurement');
          await removeLeftovers();
          const runs = present.kind === 'found' ? present.baseline.runs : [];
          const baseline: Baseline = {
            schema: baselineSchemaVersion,
            runs: withRun(runs, run, keep, unknownAncestry),
          };
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
