import { sleep } from 'k6';
import {
  admission,
  awaitTurn,
  concerts,
  drawSchedule,
  drawSeat,
  enqueue,
  freeSeat,
  pay,
  reserve,
  schedules,
} from '../lib/booking.ts';
import { countOnly, failedBelow, PAUSE } from '../lib/client.ts';
import { login } from '../lib/members.ts';

export const options = { discardResponseBodies: true, thresholds: failedBelow(0.02) };

/** What a VU got once and uses for all of its passes. */
let kept: string | undefined;

/** Takes the step with what `prepare` gave this VU in its first pass. */
const repeated = (prepare: () => string | undefined, step: (token: string) => void) => () => {
  kept ??= prepare();
  if (kept === undefined) sleep(PAUSE);
  else step(kept);
};

/** Reserves a seat and pays for it, since the fourth unpaid seat of a fan is the last. Paying ends the visit. */
function book(): void {
  const accessToken = admission();
  const reservation = accessToken && reserve(accessToken, drawSeat(drawSchedule().schedule));
  if (accessToken && reservation) pay(accessToken, reservation);
  else sleep(PAUSE);
}

const STEPS: Record<string, () => void> = {
  'queue-enqueue': repeated(login, enqueue),
  'queue-order': repeated(admission, awaitTurn),
  concerts: repeated(admission, concerts),
  schedules: repeated(admission, (token) => schedules(token, drawSchedule().concert)),
  seats: repeated(admission, (token) => freeSeat(token, drawSchedule().schedule)),
  reserve: book,
  pay: book,
};

const step = STEPS[__ENV.STEP ?? ''];
if (!step) throw new Error(`STEP is one of ${Object.keys(STEPS).join(', ')}`);
countOnly(__ENV.STEP ?? '');

/** One step of `booking` over and over. Whatever leads to it is preparation. */
export default step;
