import { createFileStore } from '../adapters/file-store.ts';
import { createBranchStore } from '../adapters/git-branch-store.ts';
import type { BaselineStore, Clock } from '../measure/ports.ts';
import type { BaselineConfig, BaselineStoreKind } from '../model/config.ts';
import { Fault } from '../model/fault.ts';
import type { Settings } from './settings.ts';
import type { Workspace } from './workspace.ts';

/** How the caller may use the stored baseline. */
export interface BaselineAccess {
  /** In place of what gate.yml says. */
  readonly store?: BaselineStoreKind;
  /** A branch is everybody's: true only if `mayWriteBaseline` says so of the event. */
  readonly mayWriteBranch: boolean;
  /** For the branch's remote, in place of the credentials of the checkout. */
  readonly token?: string;
}

export interface ChosenStore {
  readonly store: BaselineStore;
  readonly mayWrite: boolean;
}

export function chooseStore(
  access: BaselineAccess,
  config: BaselineConfig,
  means: {
    readonly settings: Settings;
    readonly workspace: Workspace;
    readonly clock: Clock;
    readonly signal: AbortSignal;
  },
): ChosenStore {
  const { settings, workspace, clock, signal } = means;
  switch (access.store ?? config.store) {
    case 'file':
      return { store: createFileStore(workspace.baselineDirectory), mayWrite: true };
    case 'branch':
      return {
        store: createBranchStore({
          directory: settings.root,
          env: settings.env,
          clock,
          signal,
          branch: config.branch,
          remote: config.remote,
          token: access.token,
        }),
        mayWrite: access.mayWriteBranch,
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
