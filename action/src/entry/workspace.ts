import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type LockHolder, takeLock, writeFault } from '../adapters/host/index.ts';
import { Fault } from '../model/fault.ts';

/** A new check removes the results of older runs beyond this number. */
const keptResults = 20;

/** Where the gate writes: `.perf-gate/` in the root of the checkout, which git ignores. */
export interface Workspace {
  readonly lockFile: string;
  readonly baselineDirectory: string;
  readonly workDirectory: string;
  /** Holds one checkout for each base commit. */
  readonly basesDirectory: string;
  /** Holds a folder for each load of generators on other machines. */
  readonly sharedLoadsDirectory: string;
  readonly runId: string;
  /** Folder of this run's results and logs. */
  readonly resultDirectory: string;
}

/** Names of folders that `newRunId` made. */
const runIds = /^\d{8}-\d{6}-[0-9a-f]{6}$/;

/** A run's id sorts by time and is a safe file name. */
export function newRunId(now: Date): string {
  return `${now.toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')}-${randomBytes(3).toString('hex')}`;
}

export function openWorkspace(root: string, runId: string): Workspace {
  const home = join(root, '.perf-gate');
  const results = join(home, 'results');
  return {
    lockFile: join(home, 'lock'),
    baselineDirectory: join(home, 'baseline'),
    workDirectory: join(home, 'work'),
    basesDirectory: join(home, 'bases'),
    sharedLoadsDirectory: join(home, 'generators'),
    runId,
    resultDirectory: join(results, runId),
  };
}

/** The base side keeps its files in folders of its own. */
export function baseWorkspace(workspace: Workspace): Workspace {
  return {
    ...workspace,
    workDirectory: join(workspace.workDirectory, 'base'),
    resultDirectory: join(workspace.resultDirectory, 'base'),
  };
}

/** Creates the run's folders and removes the oldest results. */
export function prepareResults(workspace: Workspace): void {
  const { resultDirectory, basesDirectory } = workspace;
  for (const path of [dirname(resultDirectory), basesDirectory]) refuseLink(path);
  prepareWork(workspace);
  try {
    mkdirSync(resultDirectory, { recursive: true });
    const results = dirname(resultDirectory);
    const runs = readdirSync(results).filter((name) => runIds.test(name));
    for (const old of runs.sort().slice(0, -keptResults)) {
      rmSync(join(results, old), { recursive: true, force: true });
    }
  } catch (error) {
    throw notWritable(error, workspace);
  }
}

/** Creates the folder that lists what runs. */
export function prepareWork(workspace: Workspace): void {
  refuseLink(workspace.workDirectory);
  try {
    mkdirSync(workspace.workDirectory, { recursive: true });
  } catch (error) {
    throw notWritable(error, workspace);
  }
}

/** Locks the checkout, because two checks at once would measure each other. Returns a function that unlocks it. */
export async function lockCheckout(workspace: Workspace): Promise<() => Promise<void>> {
  const { lockFile } = workspace;
  prepareHome(workspace);
  try {
    return await takeLock(lockFile, 0, (holder) => busy(lockFile, holder));
  } catch (error) {
    throw notWritable(error, workspace);
  }
}

/** Creates the folder that holds everything else, for git to ignore. */
export function prepareHome(workspace: Workspace): void {
  const home = dirname(workspace.lockFile);
  refuseLink(home);
  try {
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, '.gitignore'), '*\n');
  } catch (error) {
    throw notWritable(error, workspace);
  }
}

/** Old results are deleted, so a link in the checkout could make the gate delete what lies elsewhere. */
function refuseLink(path: string): void {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  throw new Fault({
    code: 'E_RESULTS_LINK',
    kind: 'measurement',
    place: path,
    cause: 'this is a link, and the gate deletes old files there',
    nextStep: 'remove the link; to keep results elsewhere, copy them after the check',
  });
}

function busy(lockFile: string, holder: LockHolder | undefined): Fault {
  return new Fault({
    code: 'E_BUSY',
    kind: 'measurement',
    place: lockFile,
    cause: `another check is running in this checkout${holder === undefined ? '' : `, as process ${holder.pid}`}`,
    nextStep: 'wait until it ends, because two checks at once would measure each other',
  });
}

function notWritable(error: unknown, { lockFile }: Workspace): unknown {
  const { path = dirname(lockFile) } = (error ?? {}) as NodeJS.ErrnoException;
  return writeFault(error, path, 'E_RESULTS_WRITE');
}
