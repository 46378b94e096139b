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

/** Both sides of a cell: head hashes with every request and no longer looks into its cache. */
export function changedProfiles(more: Partial<CellProfile>): readonly [base: CellProfile, head: CellProfile] {
  const frames = [
    'java.lang.Thread.run',
    'org.apache.coyote.http11.Http11Processor.service',
    'org.springframework.web.servlet.DispatcherServlet.doDispatch',
    'shop.web.TripController.edit',
    'shop.DefaultTrips.plans',
    'shop.PlanCache.<init>',
    'shop.PlanRepository.find',
    'java.security.MessageDigest.digest',
    'java.lang.ref.Finalizer.run',
  ];
  const cpu = (plans: number, cache: number, find: number, digest: number): CellProfile['cpu'] => {
    const stacks = [
      { frames: [0, 1, 2, 3, 4], weight: plans },
      { frames: [0, 1, 2, 3, 4, 5], weight: cache },
      { frames: [0, 1, 2, 3, 4, 6], weight: find },
      { frames: [0, 1, 2, 3, 4, 6, 7], weight: digest },
      { frames: [0, 8], weight: 30 },
    ]
      .filter(({ weight }) => weight > 0)
      .map((stack) => ({ ...stack, count: stack.weight }));
    return { total: stacks.reduce((total, { weight }) => total + weight, 0), stacks };
  };
  return [
    cellProfile({ frames, ...more, side: 'base', cpu: cpu(400, 300, 70, 0) }),
    cellProfile({ frames, ...more, side: 'head', cpu: cpu(410, 0, 80, 280) }),
  ];
}
