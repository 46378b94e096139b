/**
 * Runs work that starts loads under the given signal. If the work fails, the loads end: nothing else would stop them,
 * and nothing would count their requests.
 */
export async function endingLoads<T>(
  signal: AbortSignal,
  work: (guarded: AbortSignal) => Promise<T>,
): Promise<T> {
  const failed = new AbortController();
  try {
    return await work(AbortSignal.any([signal, failed.signal]));
  } catch (error) {
    failed.abort(error);
    throw error;
  }
}
