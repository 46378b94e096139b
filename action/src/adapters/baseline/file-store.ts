import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type EditableBaseline, storedRuns } from '../../check/index.ts';
import { type Baseline, type BaselineRead, baselineSchemaVersion } from '../../model/baseline.ts';
import { Fault } from '../../model/fault.ts';
import type { Run } from '../../model/run.ts';
import { type LockHolder, shownPath, takeLock, writeFault, writeFileAtomically } from '../host/index.ts';
import { baselineText, parseBaseline, pinText } from './baseline-json.ts';
import { isPinned, parsePins, pinFile, pinFolder } from './pins.ts';
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
export function createFileStore(directory: string, lockWaitMs = defaultLockWaitMs): EditableBaseline {
  const path = join(directory, 'baseline.json');
  const lockPath = `${path}.lock`;
  const place = shownPath(path);

  const pinDirectory = join(directory, pinFolder);

  async function read(): Promise<BaselineRead> {
    const text = await ifThere(() => readFile(path, 'utf8'), place);
    return text === undefined ? { kind: 'missing' } : parseBaseline(text, place);
  }

  async function pins() {
    const files = (await ifThere(() => readdir(pinDirectory), shownPath(pinDirectory))) ?? [];
    const texts = files
      .filter((file) => file.endsWith('.json'))
      .map(async (file) => {
        const shown = shownPath(join(pinDirectory, file));
        const text = await ifThere(() => readFile(join(pinDirectory, file), 'utf8'), shown);
        return text === undefined ? [] : [{ place: shown, file, text }];
      });
    return parsePins((await Promise.all(texts)).flat());
  }

  /** Only one process at a time. */
  async function locking<T>(change: () => Promise<T>): Promise<T> {
    try {
      await mkdir(directory, { recursive: true });
      const release = await takeLock(lockPath, lockWaitMs, (holder) => locked(lockPath, holder));
      try {
        return await change();
      } finally {
        await release();
      }
    } catch (error) {
      throw writeFault(error, place, 'E_BASELINE_WRITE');
    }
  }

  async function write(runs: readonly Run[]): Promise<Baseline> {
    const baseline: Baseline = { schema: baselineSchemaVersion, runs: [...runs] };
    await writeFileAtomically(path, baselineText(baseline));
    return baseline;
  }

  return {
    place,
    read,
    pins,
    append: (run, keep) =>
      locking(async () => write(withRun(storedRuns(await read()), run, keep, unknownAncestry))),
    remove: (id) =>
      locking(async () => {
        const runs = storedRuns(await read());
        if (runs.some((run) => run.id === id)) await write(runs.filter((run) => run.id !== id));
      }),
    pin: (pin) =>
      locking(async () => {
        if (isPinned(await pins(), pin, place)) return;
        await mkdir(pinDirectory, { recursive: true });
        await writeFileAtomically(join(pinDirectory, pinFile(pin.name)), pinText(pin));
      }),
    unpin: (name) => locking(() => rm(join(pinDirectory, pinFile(name)), { force: true })),
  };
}

/** Undefined if the file or folder does not exist. */
async function ifThere<T>(reading: () => Promise<T>, place: string): Promise<T | undefined> {
  try {
    return await reading();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
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
