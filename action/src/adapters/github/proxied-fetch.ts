import { getProxyUrl } from '@actions/http-client/lib/proxy';
import { fetch, ProxyAgent, type RequestInit, type Response } from 'undici';

/**
 * By the proxy that the environment names for such an address, as the cache and the download of k6 go. Node's own
 * `fetch` knows of none, and takes agents of its own version only: this one and its agent come from one package.
 */
export function proxiedFetch(url: string, init: RequestInit): Promise<Response> {
  const proxy = getProxyUrl(new URL(url));
  if (proxy === undefined) return fetch(url, init);
  // One for each request, closed with its answer: a job asks GitHub a few times, and nothing is left open at its end.
  return fetch(url, { ...init, dispatcher: new ProxyAgent({ uri: proxy.href, pipelining: 0 }) });
}
