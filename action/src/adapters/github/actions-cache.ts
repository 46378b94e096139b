import { HttpClient } from '@actions/http-client';

/** Folders that the CI service keeps between runs. */
export interface FolderCache {
  readonly key: string;
  readonly paths: readonly string[];
}

interface CacheContext {
  /** Contains the address of the service. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Receives a message if the service is down. */
  readonly warn: (text: string) => void;
}

type Restored = 'hit' | 'miss' | 'unavailable';

/** The client itself repeats requests for half a minute, and then reports an outage as a miss. */
const answerWithinSeconds = 5;

/** The client makes up three quarters of the bundle, so it is loaded only when needed. */
const client = () => import('@actions/cache');

export async function restoreFolders({ key, paths }: FolderCache, context: CacheContext): Promise<Restored> {
  const { isFeatureAvailable, restoreCache } = await client();
  if (!isFeatureAvailable()) return 'unavailable';
  const effect = 'This run builds everything again, which takes longer. The verdict is the same.';
  const restored = await unlessDown(context, effect, () => restoreCache([...paths], key));
  if (restored === 'down') return 'unavailable';
  return restored === undefined ? 'miss' : 'hit';
}

export async function saveFolders({ key, paths }: FolderCache, context: CacheContext): Promise<void> {
  const { saveCache } = await client();
  const effect = 'The next run builds everything again, which takes longer. The verdict is the same.';
  await unlessDown(context, effect, () => saveCache([...paths], key));
}

async function unlessDown<T>(
  { env, warn }: CacheContext,
  effect: string,
  work: () => Promise<T>,
): Promise<T | 'down'> {
  const url = serviceUrl(env);
  try {
    await requireAnswer(url);
    return await work();
  } catch (error) {
    warn(`The cache service at ${url} cannot be used: ${(error as Error).message}. ${effect}`);
    return 'down';
  }
}

/** Chooses the address as the client does: version 2 of the service has its own. */
function serviceUrl(env: CacheContext['env']): string {
  const { ACTIONS_CACHE_SERVICE_V2: isV2, ACTIONS_RESULTS_URL: v2, ACTIONS_CACHE_URL: v1 } = env;
  return (isV2 ? v2 || v1 : v1 || v2) ?? '';
}

/** Accepts any answer except a server error. It uses the client's own HTTP library, which supports proxies. */
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
