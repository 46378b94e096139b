import { baseCheckouts, endLeftovers } from './leftovers.ts';
import type { ChosenStack, StackRequest } from './stack.ts';
import { lockCheckout, prepareResults } from './workspace.ts';

/** Holds the checkout's lock during the work, and first ends what an earlier check left running. */
export async function inLockedCheckout<T>(
  { workspace, settings, note }: StackRequest,
  stack: ChosenStack,
  work: () => Promise<T>,
): Promise<T> {
  const release = await lockCheckout(workspace);
  try {
    prepareResults(workspace);
    // Preparing the head's stack removes the head's own containers.
    const checkouts = stack.kind === 'compose' ? baseCheckouts(workspace) : [];
    for (const ended of await endLeftovers(workspace, checkouts, settings.env)) {
      note(`ended what an earlier check left running: ${ended}`);
    }
    return await work();
  } finally {
    await release();
  }
}
