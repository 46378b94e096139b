import { fork } from 'node:child_process';
import { once } from 'node:events';

/**
 * Does the work while a process takes a core in bursts, as a neighbour on a shared machine does. It is no thread, because
 * the gate's own CPU counts as the load generator's.
 */
export async function besideNeighbour<T>(work: () => Promise<T>): Promise<T> {
  // Out of reach of the terminal's Ctrl-C: if it ended first, nobody would wait until the work has cleaned up.
  const neighbour = fork(new URL('./neighbour.ts', import.meta.url), { detached: true });
  const ended = once(neighbour, 'exit');
  const failed = ended.then(([code, signal]) => {
    throw new Error(`the neighbour ended on its own (${signal ?? `exit code ${code}`})`);
  });
  try {
    return await Promise.race([work(), failed]);
  } finally {
    neighbour.kill('SIGKILL');
    await ended;
  }
}
