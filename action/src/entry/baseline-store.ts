import { baselineRefusal, createBranchStore, createFileStore } from '../adapters/baseline/index.ts';
import type { BaselineStore, Clock } from '../measure/index.ts';
import { type Baseline, baselineSchemaVersion } from '../model/baseline.ts';
import type { BaselineConfig, BaselineStoreKind } from '../model/config.ts';
import { Fault } from '../model/fault.ts';
import type { GitRemains } from './git-remains.ts';
import type { Settings } from './settings.ts';
import { openWorkspace } from './workspace.ts';

/** How the caller may use the stored baseline. */
export interface BaselineAccess {
  /** In place of what gate.yml says. */
  readonly store?: BaselineStoreKind;
  readonly branch?: string;
  /** Which kinds may be added to. A branch is everybody's: true only if `mayWriteBaseline` says so of the event. */
  readonly mayWrite: Readonly<Record<BaselineStoreKind, boolean>>;
  /** For the branch's remote, in place of the credentials of the checkout. */
  readonly token?: string;
}

export interface ChosenStore {
  readonly store: BaselineStore;
  readonly mayWrite: boolean;
}

/** Where the baseline lies: as the caller says, else as gate.yml does. */
export function chooseStore(
  access: BaselineAccess,
  config: BaselineConfig,
  means: Pick<Settings, 'root' | 'env'> & {
    readonly clock: Clock;
    readonly signal: AbortSignal;
    /** Absent where nobody would come to clean up. */
    readonly remains?: GitRemains;
  },
): ChosenStore {
  const { root, env, clock, signal, remains } = means;
  const kind = access.store ?? config.store;
  const mayWrite = access.mayWrite[kind];
  switch (kind) {
    case 'file':
      return { store: createFileStore(openWorkspace(root, '').baselineDirectory), mayWrite };
    case 'branch':
      return {
        store: createBranchStore({
          directory: root,
          env,
          clock,
          signal,
          branch: access.branch ?? config.branch,
          remote: config.remote,
          token: access.token,
          leftovers: remains?.commands,
          scratchDirectory: remains?.scratchDirectory,
        }),
        mayWrite,
      };
  }
}

/** Told before anything is measured. */
export function requireWritable({ store, mayWrite }: ChosenStore): void {
  if (mayWrite) return;
  throw new Fault({
    code: 'E_BASELINE_EVENT',
    kind: 'usage',
    place: store.place,
    cause: 'it is written for a push to the default branch of the same repository only',
    nextStep: 'leave it to the workflow of such pushes, or record on this machine with --baseline-store file',
  });
}

export async function readBaseline(store: BaselineStore): Promise<Baseline> {
  const read = await store.read();
  switch (read.kind) {
    case 'found':
      return read.baseline;
    case 'missing':
      return { schema: baselineSchemaVersion, runs: [] };
    default:
      throw baselineRefusal(read, 'usage');
  }
}
