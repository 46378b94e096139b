/**
 * Work on loads that it starts under the signal it is given. When the work fails, they are ended: nobody else would
 * stop them, and nobody counts what they would go on to send.
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
