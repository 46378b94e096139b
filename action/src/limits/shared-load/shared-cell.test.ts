import { expect, it } from 'vitest';
import { requireShares } from './shared-cell.ts';

it('refuses to share a load that ends with its last pass', () => {
  const arrival = { perSecond: 10, vus: 300, seconds: 30, once: { capSeconds: 60 } };
  expect(() => requireShares({ vus: 300, arrival }, 2)).toThrow('E_GENERATORS_USERS');
  const { once: _, ...constant } = arrival;
  expect(() => requireShares({ vus: 300, arrival: constant }, 2)).not.toThrow();
});

it('refuses more generators than users', () => {
  expect(() => requireShares({ vus: 2 }, 3)).toThrow(
    'E_GENERATORS_MANY --generators 3: the load has 2 virtual users',
  );
  expect(() => requireShares({ vus: 2 }, 2)).not.toThrow();
});
