/** Folders kept between runs by the CI service. Without it, or with it down, everything is made anew. */
export interface FolderCache {
  readonly key: string;
  readonly paths: readonly string[];
}

/** Three quarters of the bundle, read only where there is a cache. */
const client = () => import('@actions/cache');

export type Restored = 'hit' | 'miss' | 'unavailable';

export async function restoreFolders(
  { key, paths }: FolderCache,
  note: (text: string) => void,
): Promise<Restored> {
  const { isFeatureAvailable, restoreCache } = await client();
  if (!isFeatureAvailable()) return 'unavailable';
  try {
    return (await restoreCache([...paths], key)) === undefined ? 'miss' : 'hit';
  } catch (error) {
    note(`the cache could not be read: ${(error as Error).message}`);
    return 'unavailable';
  }
}

export async function saveFolders({ key, paths }: FolderCache, note: (text: string) => void): Promise<void> {
  const { saveCache } = await client();
  try {
    await saveCache([...paths], key);
  } catch (error) {
    note(`the cache could not be written: ${(error as Error).message}`);
  }
}
