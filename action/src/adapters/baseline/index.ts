import type { EditableBaseline } from '../../check/index.ts';
import type { BaselineStoreKind } from '../../model/config.ts';
import { type BranchStoreOptions, createBranchStore } from './branch-store.ts';
import { createFileStore } from './file-store.ts';

/** What any kind of store may need; each takes its part. */
export interface StoreOptions extends BranchStoreOptions {
  /** Folder on this machine for the stores that need one. */
  readonly fileDirectory: string;
}

export const baselineStores: Readonly<
  Record<BaselineStoreKind, (options: StoreOptions) => EditableBaseline>
> = {
  file: ({ fileDirectory }) => createFileStore(fileDirectory),
  branch: createBranchStore,
};
