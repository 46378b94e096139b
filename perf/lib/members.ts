import { takeAndFind } from './client.ts';

/** Members 1 to this have trips in the seeded data. */
const MEMBERS_WITH_TRIPS = 5000;

/**
 * Member of this VU. No two VUs are the same member, so none waits for the rows of another, and none has an
 * update refused because another was first.
 */
export const memberId = ((__VU - 1 + Number(__ENV.VU_OFFSET ?? 0)) % MEMBERS_WITH_TRIPS) + 1;

/** The token that the further steps of a pass need. */
export function login(): string | undefined {
  return takeAndFind(
    {
      endpoint: 'login',
      method: 'POST',
      path: '/members/login',
      token: '',
      body: { email: `member${memberId}@example.com`, password: 'password' },
      expect: 200,
    },
    /"token":"([^"]+)"/,
  );
}
