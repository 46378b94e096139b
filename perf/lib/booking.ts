import { sleep } from 'k6';
import { Counter } from 'k6/metrics';
import { take, takeAndFind, takeAndRead, takeHeader, takeUnlessRefused } from './client.ts';
import { memberId } from './members.ts';

/** The seeded evenings; concert c has those from 100(c - 1) + 1 to 100c. */
const SCHEDULES = 10_000;
const SCHEDULES_PER_CONCERT = 100;

/** How many of them a fan chooses among: all, or few for a crowd on the same seats. */
const chosenFrom = Number(__ENV.BOOKING_SCHEDULES ?? SCHEDULES);

/** As long as somebody waits who watches a page of the queue. */
const pollSeconds = Number(__ENV.QUEUE_POLL_SECONDS ?? 10);

/** Nobody waits for ever: an hour, or three minutes as gate.yml asks. k6 cuts off who still waits after the load. */
const POLLS = 360;

/** Seats that somebody else was first to take, between the look and the reservation. */
const seatsTaken = new Counter('seats_taken');

/** Evenings without a free seat. */
const soldOut = new Counter('sold_out');

/** An evening, drawn anew for each pass. */
export function drawSchedule(): { concert: number; schedule: number } {
  const schedule = 1 + Math.floor(Math.random() * chosenFrom);
  return { concert: Math.ceil(schedule / SCHEDULES_PER_CONCERT), schedule };
}

/** The token that the further steps of a pass need. */
export function enqueue(): string | undefined {
  return takeHeader(
    {
      endpoint: 'queue-enqueue',
      method: 'POST',
      path: '/queues/enqueue',
      body: { userId: memberId },
      expect: 201,
    },
    'X-Access-Token',
  );
}

/** Asks for the place in the queue until let in; false if that does not happen. */
export function awaitTurn(accessToken: string): boolean {
  for (let poll = 0; poll < POLLS; poll++) {
    if (poll > 0) sleep(pollSeconds);
    const order = takeAndFind(
      { endpoint: 'queue-order', method: 'GET', path: '/queues/order', accessToken, expect: 200 },
      /"order":(\d+)/,
    );
    if (order === undefined) return false;
    if (order === '0') return true;
  }
  return false;
}

export function concerts(accessToken: string): boolean {
  return take({ endpoint: 'concerts', method: 'GET', path: '/concerts', accessToken, expect: 200 });
}

export function schedules(accessToken: string, concert: number): boolean {
  const path = `/concerts/${concert}/schedules`;
  return take({ endpoint: 'schedules', method: 'GET', path, accessToken, expect: 200 });
}

/** A free seat of the evening, one of all with the same chance; undefined if there is none. */
export function freeSeat(accessToken: string, schedule: number): string | undefined {
  const path = `/concerts/schedules/${schedule}/seats`;
  const seat = takeAndRead({ endpoint: 'seats', method: 'GET', path, accessToken, expect: 200 }, anyFree);
  if (seat !== NONE) return seat;
  soldOut.add(1);
  return undefined;
}

const NONE = 'none';

/** Looked for from anywhere in the text, because parsing 150 seats costs more than the request. */
function anyFree(seats: string): string | undefined {
  if (!seats.includes('"status"')) return undefined;
  const anywhere = Math.floor(Math.random() * seats.length);
  const from = seats.indexOf('"AVAILABLE"', anywhere);
  const status = from >= 0 ? from : seats.indexOf('"AVAILABLE"');
  if (status < 0) return NONE;
  return /^"id":(\d+)/.exec(seats.slice(seats.lastIndexOf('"id":', status)))?.[1];
}

/** The reservation's id; undefined if somebody else was first. */
export function reserve(accessToken: string, seat: string): string | undefined {
  const body = { userId: memberId, concertSeatId: Number(seat) };
  const reservation = takeUnlessRefused(
    {
      endpoint: 'reserve',
      method: 'POST',
      path: '/concerts/reservation',
      accessToken,
      body,
      expect: '200 or 409',
    },
    /"reservationId":(\d+)/,
  );
  if (reservation !== 'refused') return reservation;
  seatsTaken.add(1);
  return undefined;
}

export function pay(accessToken: string, reservation: string): boolean {
  const path = `/concerts/reservations/${reservation}/pay`;
  return take({
    endpoint: 'pay',
    method: 'POST',
    path,
    accessToken,
    body: { userId: memberId },
    expect: 200,
  });
}
