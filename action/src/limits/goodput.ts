import { type Block, ownEndpoints } from '../model/run.ts';

/**
 * Requests per second that did not fail. A service that only refuses would otherwise be the fastest. Dropped passes are among
 * the failed requests, but never were among those that ended, so they are not taken off once more.
 */
export function goodput({
  tps,
  requests,
  errors,
  endpoints,
}: Pick<Block, 'tps' | 'requests' | 'errors' | 'endpoints'>): number {
  const dropped = endpoints.find(({ name }) => name === ownEndpoints.dropped)?.requests ?? 0;
  const sent = requests - dropped;
  return sent <= 0 ? 0 : tps * (1 - (errors - dropped) / sent);
}

/** The share of requests that failed, 0 to 1. A service that answers none fails them all. */
export function failedShare({ requests, errors }: Pick<Block, 'requests' | 'errors'>): number {
  return requests === 0 ? 1 : errors / requests;
}
