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

export const options = { discardResponseBodies: true };

/** A fan waits in the queue, picks a free seat, reserves it and pays. The pass does not free the seat again. */
export default function booking(): void {
  const accessToken = enqueue();
  if (accessToken === undefined || !awaitTurn(accessToken)) return;

  const { concert, schedule } = drawSchedule();
  concerts(accessToken);
  schedules(accessToken, concert);

  const seat = freeSeat(accessToken, schedule);
  if (seat === undefined) return;
  const reservation = reserve(accessToken, seat);
  if (reservation !== undefined) pay(accessToken, reservation);
}
