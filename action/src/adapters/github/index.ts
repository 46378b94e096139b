export { type FolderCache, restoreFolders, saveFolders } from './actions-cache.ts';
export { createGitHub } from './code-host.ts';
