import { expect, it } from 'vitest';
import { ownEndpoints } from '../model/run.ts';
import { failedShare, goodput } from './goodput.ts';

const latency = { meanMs: 0, p50Ms: 0, p90Ms: 0, p95Ms: 0, p99Ms: 0, maxMs: 0 };
const dropped = (requests: number) => ({ name: ownEndpoints.dropped, requests, errors: requests, latency });

it('goodput takes off failed requests, and dropped passes not again', () => {
  expect(goodput({ tps: 100, requests: 400, errors: 100, endpoints: [] })).toBe(75);
  expect(goodput({ tps: 50, requests: 400, errors: 200, endpoints: [dropped(200)] })).toBe(50);
  expect(goodput({ tps: 50, requests: 400, errors: 300, endpoints: [dropped(200)] })).toBe(25);
});

it('goodput is 0 if nothing was sent', () => {
  expect(goodput({ tps: 5, requests: 0, errors: 0, endpoints: [] })).toBe(0);
  expect(goodput({ tps: 5, requests: 200, errors: 200, endpoints: [dropped(200)] })).toBe(0);
});

it('the share that failed includes dropped passes, and is all of them without a request', () => {
  expect(failedShare({ requests: 400, errors: 200 })).toBe(0.5);
  expect(failedShare({ requests: 0, errors: 0 })).toBe(1);
});
