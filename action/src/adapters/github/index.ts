export { type FolderCache, restoreFolders, saveFolders } from './actions-cache.ts';
export type { GitHubOptions } from './client.ts';
export { createGitHub } from './code-host.ts';
