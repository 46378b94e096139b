import { sleep } from 'k6';
import { cleanUp, PAUSE, takeAndFind } from './client.ts';

/** In the seeded data, members 1 to 5000 have trips. */
const MEMBERS_WITH_TRIPS = 5000;

/** With fewer members than VUs, several VUs act as the same member, as one person with several devices does. */
const members = Math.min(MEMBERS_WITH_TRIPS, Number(__ENV.MEMBERS ?? MEMBERS_WITH_TRIPS));

/**
 * The member that this VU acts as. Unless `MEMBERS` says otherwise, each VU has its own member, so VUs never wait for each
 * other's rows and their updates never conflict.
 */
export const memberId = ((__VU - 1 + Number(__ENV.VU_OFFSET ?? 0)) % members) + 1;

/** Signs in, takes the steps of a pass with the token, and signs out. Without a token, the pass is a pause. */
export function signedIn(pass: (token: string) => void): void {
  const token = login();
  if (token === undefined) {
    // Nothing else of the pass follows, so the next one would begin at once.
    sleep(PAUSE);
    return;
  }
  try {
    pass(token);
  } finally {
    // Redis would keep the token of each pass for half an hour.
    cleanUp({ method: 'POST', path: '/members/logout', token, expect: 204 });
  }
}

/** Returns the token of a new session; undefined if that failed. */
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
