import { Worker } from 'node:worker_threads';

/** Does the work while a thread takes a core in bursts, as a neighbour on a shared machine does. */
export async function besideNeighbour<T>(work: () => Promise<T>): Promise<T> {
  const neighbour = new Worker(new URL('./neighbour.ts', import.meta.url));
  const failed = new Promise<never>((_, fail) => neighbour.once('error', fail));
  try {
    return await Promise.race([work(), failed]);
  } finally {
    await neighbour.terminate();
  }
}
