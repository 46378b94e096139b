/** True if the address answers 2xx within two seconds; aborting the signal rejects with its reason. */
export async function answersOk(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(2_000)]) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    // Nobody listens yet, or the answer takes too long: both mean "not ready", which is what is asked.
    signal.throwIfAborted();
    return false;
  }
}
