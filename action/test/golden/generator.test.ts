import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { invalidReason } from '../../src/model/invalid-reason.ts';
import type { SharedLoad } from '../../src/model/shared-load.ts';
import { sharedLoadFinding } from '../../src/report/content/shared-load.ts';
import { plainPaint } from '../../src/report/format/paint.ts';
import { findingPage, findingText } from '../../src/report/render/finding.ts';
import { expectHarmless } from './harmless-page.ts';
import { hostileName } from './hostile-names.ts';

const latency = { meanMs: 4.26, p50Ms: 0.69, p90Ms: 11.2, p95Ms: 23.3, p99Ms: 81.3, maxMs: 120 };
const generator = (position: number, more: Partial<SharedLoad['generators'][number]> = {}) => ({
  name: `gate-browse-peak-4f1c2a-${position}`,
  node: `pool-a-${position}`,
  end: 'finished',
  requests: 600 + position,
  failed: 1,
  startedAt: `2026-01-01T00:00:00.${position}00Z`,
  ...more,
});

const load: SharedLoad = {
  plan: {
    schema: 1,
    name: 'gate-browse-peak-4f1c2a',
    cell: 'browse@peak',
    service: 'http://shop.default.svc:8080',
    generators: 3,
    vus: 20,
    guardSeconds: 10,
    countedSeconds: 60,
    k6: '2.2.0',
    loadHash: 'abc',
  },
  generators: [1, 2, 3].map((position) => generator(position)),
  requests: 1681,
  errors: 3,
  iterations: 840,
  tps: 336.2,
  latency,
  endpoints: ['item', 'items'].map((name) => ({ name, requests: 840, errors: 1, latency })),
  invalid: [],
};
const lost: SharedLoad = {
  ...load,
  plan: { ...load.plan, arrival: { perSecond: 40, seconds: 70 } },
  generators: [
    generator(1),
    { name: 'gate-browse-peak-4f1c2a-2', end: 'its pod is missing', requests: 0, failed: 0 },
  ],
  invalid: [
    invalidReason('I_GENERATOR_END', {
      end: 'generator 2 of 2 (gate-browse-peak-4f1c2a-2): its pod is missing',
      firstError: undefined,
    }),
    invalidReason('I_ENDPOINT_MISSING', { endpoints: ['buy'] }),
  ],
};

describe('a load of several generators', () => {
  it.each([
    ['merged', load],
    ['lost', lost],
  ])('%s', async (name, given) => {
    const text = findingText(sharedLoadFinding(given), { width: 120, paint: plainPaint });
    await expect(text).toMatchFileSnapshot(`generator/${name}.txt`);
  });

  it('is a page that no name can break', () => {
    fc.assert(
      fc.property(hostileName, hostileName, (name, node) => {
        const endpoints = load.endpoints.map((one) => ({ ...one, name }));
        const generators = load.generators.map((one) => ({ ...one, node }));
        expectHarmless(findingPage(sharedLoadFinding({ ...load, endpoints, generators })), []);
      }),
    );
  });
});
