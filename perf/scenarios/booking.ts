import { sleep } from 'k6';
import {
  awaitTurn,
  concerts,
  drawSchedule,
  enqueue,
  freeSeat,
  pay,
  reserve,
  schedules,
  schedulesFrom,
} from '../lib/booking.ts';
import { failedBelow } from '../lib/client.ts';
import { signedIn } from '../lib/members.ts';

export const options = { discardResponseBodies: true, thresholds: failedBelow(0.02) };

/** The pause after paying. */
const pauseSeconds = Number(__ENV.PAUSE_SECONDS ?? 0);

/** A member signs in, waits in the queue, picks a free seat, reserves it and pays. The pass does not free the seat again. */
export default function booking(): void {
  signedIn((token) => {
    const accessToken = enqueue(token);
    if (accessToken === undefined || !awaitTurn(accessToken)) return;

    const { concert, schedule } = drawSchedule();
    concerts(accessToken);
    schedules(accessToken, concert);
    schedulesFrom(accessToken, concert);

    const seat = freeSeat(accessToken, schedule);
    if (seat === undefined) return;
    const reservation = reserve(accessToken, seat);
    if (reservation !== undefined) pay(accessToken, reservation);
    sleep(pauseSeconds);
  });
}
