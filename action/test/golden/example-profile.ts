import type { CellProfile } from '../../src/model/profile.ts';

/** Ten seconds of a service that reads plans and waits for its pool. */
export function cellProfile(more: Partial<CellProfile>): CellProfile {
  return {
    schema: 1,
    side: 'head',
    scenario: 'trip-edit',
    load: 'peak',
    seconds: 10,
    sampledBy: 'cpu-time',
    frames: ['java.lang.Thread.run', 'shop.DefaultTrips.plans', 'shop.PlanRepository.find', 'shop.Pool.take'],
    cpu: {
      total: 500,
      stacks: [
        { frames: [0, 1], weight: 430, count: 430 },
        { frames: [0, 1, 2], weight: 70, count: 70 },
      ],
    },
    locks: { total: 1200.5, stacks: [{ frames: [0, 1, 3], weight: 1200.5, count: 60 }] },
    ...more,
  };
}
