import {
  awaitTurn,
  concerts,
  drawSchedule,
  enqueue,
  freeSeat,
  pay,
  reserve,
  schedules,
} from '../lib/booking.ts';
import { failedBelow } from '../lib/client.ts';
import { login } from '../lib/members.ts';

export const options = { discardResponseBodies: true, thresholds: failedBelow(0.02) };

/** A member signs in, waits in the queue, picks a free seat, reserves it and pays. The pass does not free the seat again. */
export default function booking(): void {
  const token = login();
  if (token === undefined) return;
  const accessToken = enqueue(token);
  if (accessToken === undefined || !awaitTurn(accessToken)) return;

  const { concert, schedule } = drawSchedule();
  concerts(accessToken);
  schedules(accessToken, concert);

  const seat = freeSeat(accessToken, schedule);
  if (seat === undefined) return;
  const reservation = reserve(accessToken, seat);
  if (reservation !== undefined) pay(accessToken, reservation);
}
