export { createBranchStore } from './branch-store.ts';
export { createFileStore } from './file-store.ts';
export type { Ancestry } from './retention.ts';
