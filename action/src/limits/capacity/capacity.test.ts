import { describe, expect, it } from 'vitest';
import type { Demand } from '../../model/capacity.ts';
import { capacityOf, carriedUsers } from './capacity.ts';

const demand = (requests: number, passSeconds: number): Demand => ({
  dailyUsers: 25_000,
  requestsPerUser: requests,
  requestsPerPass: requests,
  passSeconds,
  peakFactor: 4,
  targetSeconds: 0.5,
});

describe('the load that stands for 25,000 users a day', () => {
  it.each([
    [7.5, 430, [2.2, 8.8], [126.1, 504.5], [130, 510], [260, 1020]],
    [18.5, 1000, [5.4, 21.6], [291.9, 1167.6], [300, 1200], [600, 2400]],
    [11.5, 13.5, [3.3, 13.2], [3.9, 15.5], [5, 20], [10, 40]],
  ])('with passes of %d requests in %d s', (requests, seconds, rates, exact, vus, tps) => {
    const { loads } = capacityOf(demand(requests, seconds));
    expect(loads.map(({ requestsPerSecond }) => requestsPerSecond)).toEqual(rates);
    expect(loads.map(({ exactUsers }) => Number(exactUsers.toFixed(1)))).toEqual(exact);
    expect(loads.map((load) => load.vus)).toEqual(vus);
    expect(loads.map((load) => load.tps)).toEqual(tps);
  });

  it('has threads for twice the requests in flight, and connections for the cores of the database', () => {
    const { loads, pool } = capacityOf({ ...demand(18.5, 1000), databaseCores: 8 });
    expect(loads[1]).toMatchObject({ inFlight: 11, threads: 20 });
    expect(pool).toBe(17);
    expect(capacityOf(demand(7.5, 430))).not.toHaveProperty('pool');
  });
});

describe('the users a day that a machine carries', () => {
  const step = (users: number, tps: number, p95Ms: number, errorRate = 0) => ({
    users,
    tps: { value: tps, low: 0.9 * tps, high: 1.1 * tps },
    p95Ms: { value: p95Ms },
    errorRate,
  });
  const steps = [step(50, 800, 100), step(100, 1000, 300), step(200, 1050, 700), step(400, 1100, 9, 0.6)];

  it('are those of the highest throughput whose p95 holds the target, with its interval', () => {
    expect(carriedUsers(steps, demand(7.5, 430)).best).toEqual({
      requestsPerSecond: { value: 1000, low: 900, high: 1100 },
      vus: 100,
      p95Ms: 300,
      dailyUsers: { value: 2_880_000, low: 2_592_000, high: 3_168_000 },
      holds: true,
    });
    expect(carriedUsers(steps.slice(2), demand(7.5, 430)).best).toBeUndefined();
  });

  it('are known of every step', () => {
    const found = carriedUsers(steps, demand(7.5, 430)).steps;
    expect(found.map(({ vus, holds }) => [vus, holds])).toEqual([
      [50, true],
      [100, true],
      [200, false],
      [400, false],
    ]);
  });
});
