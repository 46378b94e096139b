import { createBranchStore, createFileStore } from '../adapters/baseline/index.ts';
import type { BaselineStore, CheckPorts } from '../check/index.ts';
import type { Clock } from '../measure/index.ts';
import type { BaselineConfig, BaselineStoreKind } from '../model/config.ts';
import type { GitLeftovers } from './checkout-git.ts';
import type { Settings } from './settings.ts';
import { openWorkspace } from './workspace.ts';

/** How the caller may use the stored baseline. */
export interface BaselineAccess {
  /** Overrides the store of gate.yml. */
  readonly store?: BaselineStoreKind;
  readonly branch?: string;
  /** Stores that this caller may add to. A branch is shared, so it needs an event that `mayWriteBaseline` accepts. */
  readonly mayWrite: readonly BaselineStoreKind[];
  /** Replaces the credentials of the checkout for the branch's remote. */
  readonly token?: string;
}

export interface StoreOptions extends Pick<Settings, 'root' | 'env'> {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Absent where no later check would clean up. */
  readonly gitFiles?: GitLeftovers;
}

type OpenStore = (access: BaselineAccess, config: BaselineConfig, options: StoreOptions) => BaselineStore;

const stores: Readonly<Record<BaselineStoreKind, OpenStore>> = {
  file: (_, __, { root }) => createFileStore(openWorkspace(root, '').baselineDirectory),
  branch: ({ branch, token }, config, { root, env, clock, signal, gitFiles }) =>
    createBranchStore({
      directory: root,
      env,
      clock,
      signal,
      branch: branch ?? config.branch,
      remote: config.remote,
      token,
      leftovers: gitFiles?.commands,
      scratchDirectory: gitFiles?.scratchDirectory,
    }),
};

/** The baseline that the caller names, or else the one of gate.yml. */
export function openBaseline(
  access: BaselineAccess,
  config: BaselineConfig,
  options: StoreOptions,
): CheckPorts['baseline'] {
  const kind = access.store ?? config.store;
  return { store: stores[kind](access, config, options), mayWrite: access.mayWrite.includes(kind) };
}
