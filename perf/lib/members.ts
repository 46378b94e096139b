import { sleep } from 'k6';
import { PAUSE, takeAndFind } from './client.ts';

/** In the seeded data, members 1 to 5000 have trips. */
const MEMBERS_WITH_TRIPS = 5000;

/**
 * The member that this VU acts as. Each VU has its own member, so VUs never wait for each other's rows and their
 * updates never conflict.
 */
export const memberId = ((__VU - 1 + Number(__ENV.VU_OFFSET ?? 0)) % MEMBERS_WITH_TRIPS) + 1;

/** Signs in and returns the token for the other steps of the pass; undefined after a pause if that failed. */
export function login(): string | undefined {
  const token = takeAndFind(
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
  // Nothing else of the pass follows, so the next one would begin at once.
  if (token === undefined) sleep(PAUSE);
  return token;
}
