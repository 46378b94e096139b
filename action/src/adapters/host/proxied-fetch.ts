import { getProxyUrl } from '@actions/http-client/lib/proxy';
import { fetch, ProxyAgent, type RequestInit, type Response } from 'undici';

/** Uses the proxy that the environment names for the address. Node's `fetch` has no such option, and rejects agents of undici. */
export function proxiedFetch(url: string, init: RequestInit): Promise<Response> {
  const proxy = getProxyUrl(new URL(url));
  if (proxy === undefined) return fetch(url, init);
  // A job sends few requests, so each gets its own agent, which closes with the answer.
  return fetch(url, { ...init, dispatcher: new ProxyAgent({ uri: proxy.href, pipelining: 0 }) });
}
