import type { Block } from '../model/run.ts';

/** Requests per second that did not fail. A service that only refuses would otherwise be the fastest. */
export function goodput({ tps, requests, errors }: Pick<Block, 'tps' | 'requests' | 'errors'>): number {
  return requests === 0 ? 0 : tps * (1 - errors / requests);
}
