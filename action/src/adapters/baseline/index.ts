export { createBranchStore } from './branch-store.ts';
export { createFileStore } from './file-store.ts';
