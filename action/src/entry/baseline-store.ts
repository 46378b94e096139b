import { baselineStores } from '../adapters/baseline/index.ts';
import type { CheckPorts, EditableBaseline } from '../check/index.ts';
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
  /** Folder of the file store, instead of that of the checkout. */
  readonly directory?: string;
  /** Stores that this caller may add to. A branch is shared, so it needs an event that `mayWriteBaseline` accepts. */
  readonly mayWrite: readonly BaselineStoreKind[];
  /** Replaces the credentials of the checkout for the branch's remote. */
  readonly token?: string;
}

export interface BaselineContext extends Pick<Settings, 'root' | 'env'> {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Absent where no later check would clean up. */
  readonly gitFiles?: GitLeftovers;
}

/** The baseline that the caller names, or else the one of gate.yml. */
export function openBaseline(
  { store, branch, directory, mayWrite, token }: BaselineAccess,
  config: BaselineConfig,
  { root, gitFiles, ...context }: BaselineContext,
): CheckPorts['baseline'] & { readonly store: EditableBaseline } {
  const kind = store ?? config.store;
  const options = {
    ...context,
    directory: root,
    fileDirectory: directory ?? openWorkspace(root, '').baselineDirectory,
    branch: branch ?? config.branch,
    remote: config.remote,
    token,
    leftovers: gitFiles?.commands,
    scratchDirectory: gitFiles?.scratchDirectory,
  };
  const opened = baselineStores[kind](options);
  return { store: opened, readPins: () => opened.pins(), mayWrite: mayWrite.includes(kind) };
}
