import { HttpClient } from '@actions/http-client';

/** Folders kept between runs by the CI service. Without it, or with it down, everything is made anew. */
export interface FolderCache {
  readonly key: string;
  readonly paths: readonly string[];
}

/** Where the client finds the service, and who is told when it is down. */
export interface CacheMeans {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly warn: (text: string) => void;
}

export type Restored = 'hit' | 'miss' | 'unavailable';

/** The client itself asks again and again for half a minute, and then tells no outage from a miss. */
const answerWithinSeconds = 5;

/** Three quarters of the bundle, read only where there is a cache. */
const client = () => import('@actions/cache');

export async function restoreFolders({ key, paths }: FolderCache, means: CacheMeans): Promise<Restored> {
  const { isFeatureAvailable, restoreCache } = await client();
  if (!isFeatureAvailable()) return 'unavailable';
  const meaning = 'Everything is made anew, which takes longer; the verdict is the same.';
  const restored = await unlessDown(means, meaning, () => restoreCache([...paths], key));
  if (restored === 'down') return 'unavailable';
  return restored === undefined ? 'miss' : 'hit';
}

export async function saveFolders({ key, paths }: FolderCache, means: CacheMeans): Promise<void> {
  const { saveCache } = await client();
  const meaning = 'What was made is not kept, so the next run makes it anew; the verdict is the same.';
  await unlessDown(means, meaning, () => saveCache([...paths], key));
}

async function unlessDown<T>(
  { env, warn }: CacheMeans,
  meaning: string,
  work: () => Promise<T>,
): Promise<T | 'down'> {
  const url = serviceUrl(env);
  try {
    await requireAnswer(url);
    return await work();
  } catch (error) {
    warn(`The cache service at ${url} cannot be used: ${(error as Error).message}. ${meaning}`);
    return 'down';
  }
}

/** As the client chooses it: the second version of the service has another address. */
function serviceUrl(env: CacheMeans['env']): string {
  const {
    ACTIONS_CACHE_SERVICE_V2: isSecond,
    ACTIONS_RESULTS_URL: second = '',
    ACTIONS_CACHE_URL: first = '',
  } = env;
  return (isSecond ? [second, first] : [first, second]).find((url) => url !== '') ?? '';
}

/** Any answer will do that is no outage. Through the client's own means, which know of proxies. */
async function requireAnswer(url: string): Promise<void> {
  const http = new HttpClient('perf-gate', [], {
    allowRedirects: false,
    socketTimeout: answerWithinSeconds * 1000,
  });
  try {
    const { message } = await http.get(url);
    message.resume();
    const { statusCode = 0 } = message;
    if (statusCode >= 500) throw new Error(`it answered ${statusCode}`);
  } finally {
    http.dispose();
  }
}
