import { expect, it } from 'vitest';
import type { Config } from '../model/config.ts';
import { requireCurrentWaivers, withCurrentWaivers } from './current-waivers.ts';

const waiver = { cell: 'browse@peak', metric: 'p95', ceiling: 0.2, until: '2026-01-31', reason: 'an index' };
const config = { waivers: [waiver] } as unknown as Config;

it('a waiver counts on its last day and is refused on the next', () => {
  requireCurrentWaivers(config, new Date('2026-01-31T23:59:59Z'), 'gate.yml');
  expect(() => requireCurrentWaivers(config, new Date('2026-02-01T00:00:00Z'), 'gate.yml')).toThrow(
    expect.objectContaining({
      details: expect.objectContaining({
        code: 'E_WAIVER_EXPIRED',
        cause: expect.stringContaining('p95 in browse@peak ended on 2026-01-31'),
      }),
    }),
  );
});

it('a waiver is left out from the day after its last', () => {
  expect(withCurrentWaivers(config, new Date('2026-01-31T23:59:59Z')).waivers).toEqual([waiver]);
  expect(withCurrentWaivers(config, new Date('2026-02-01T00:00:00Z')).waivers).toEqual([]);
});
