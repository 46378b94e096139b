import { randomSeed, sleep } from 'k6';
import { Counter } from 'k6/metrics';
import { PAUSE, take, takeAndFind, takeAndRead, takeHeader, takeUnlessConflict } from './client.ts';
import { login, memberId } from './members.ts';

/** The number of seeded schedules. Concert c has the schedules 100(c - 1) + 1 to 100c. */
const SCHEDULES = 10_000;
const SCHEDULES_PER_CONCERT = 100;

/** Each concert has a schedule on each of 100 days, and this is the 51st. */
const MIDDLE_DAY = '2098-02-20';

/** Schedule s has the seats 150(s - 1) + 1 to 150s. */
const SEATS_PER_SCHEDULE = 150;

/** The number of schedules that fans choose from. A small number makes a crowd compete for the same seats. */
const scheduleCount = Number(__ENV.BOOKING_SCHEDULES ?? SCHEDULES);

/** The interval at which a typical queue page polls. */
const pollSeconds = Number(__ENV.QUEUE_POLL_SECONDS ?? 10);

/** Limits the wait to an hour, or to three minutes at the interval in gate.yml. k6 stops fans who wait longer than the load. */
const MAX_POLLS = 360;

/** Seats that another fan took between the listing and the reservation. */
const seatsTaken = new Counter('seats_taken');

/** Schedules without a free seat. */
const soldOut = new Counter('sold_out');

// A user draws the same numbers in each run, so base and head are asked for the same seats.
randomSeed(memberId);

/** A random schedule for each pass. */
export function drawSchedule(): { concert: number; schedule: number } {
  const schedule = 1 + Math.floor(Math.random() * scheduleCount);
  return { concert: Math.ceil(schedule / SCHEDULES_PER_CONCERT), schedule };
}

/** Joins the queue as a signed-in member and returns the token for the other steps of the pass; undefined after a pause if that failed. */
export function enqueue(token: string): string | undefined {
  const accessToken = takeHeader(
    {
      endpoint: 'queue-enqueue',
      method: 'POST',
      path: '/queues/enqueue',
      token,
      body: { userId: memberId },
      expect: 201,
    },
    'X-Access-Token',
  );
  if (accessToken === undefined) sleep(PAUSE);
  return accessToken;
}

/** Polls until the queue admits the fan. Returns false if it never does. */
export function awaitTurn(accessToken: string): boolean {
  for (let poll = 0; poll < MAX_POLLS; poll++) {
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

/** Signs in, joins the queue and waits for admission. Returns the fan's token; undefined if any of that failed. */
export function admission(): string | undefined {
  const token = login();
  const accessToken = token === undefined ? undefined : enqueue(token);
  return accessToken !== undefined && awaitTurn(accessToken) ? accessToken : undefined;
}

export function concerts(accessToken: string): boolean {
  return take({ endpoint: 'concerts', method: 'GET', path: '/concerts', accessToken, expect: 200 });
}

export function schedules(accessToken: string, concert: number): boolean {
  const path = `/concerts/${concert}/schedules`;
  return take({ endpoint: 'schedules', method: 'GET', path, accessToken, expect: 200 });
}

/** The later half of the schedules. Unlike the whole list, no cache has it. */
export function schedulesFrom(accessToken: string, concert: number): boolean {
  const path = `/concerts/${concert}/schedules?from=${MIDDLE_DAY}`;
  return take({ endpoint: 'schedules-from', method: 'GET', path, accessToken, expect: 200 });
}

/** A random free seat of the schedule; undefined if it is sold out. */
export function freeSeat(accessToken: string, schedule: number): string | undefined {
  const path = `/concerts/schedules/${schedule}/seats`;
  const seat = takeAndRead(
    { endpoint: 'seats', method: 'GET', path, accessToken, expect: 200 },
    randomFreeSeat,
  );
  if (seat !== NONE) return seat;
  soldOut.add(1);
  return undefined;
}

/** Any seat of the schedule, free or not. */
export function drawSeat(schedule: number): string {
  return String(SEATS_PER_SCHEDULE * (schedule - 1) + 1 + Math.floor(Math.random() * SEATS_PER_SCHEDULE));
}

const NONE = 'none';

/** Searches the text from a random position, because parsing 150 seats costs more than the request. */
function randomFreeSeat(seats: string): string | undefined {
  if (!seats.includes('"status"')) return undefined;
  const start = Math.floor(Math.random() * seats.length);
  const afterStart = seats.indexOf('"AVAILABLE"', start);
  const status = afterStart >= 0 ? afterStart : seats.indexOf('"AVAILABLE"');
  if (status < 0) return NONE;
  return /^"id":(\d+)/.exec(seats.slice(seats.lastIndexOf('"id":', status)))?.[1];
}

/** The id of the reservation; undefined if another fan was faster. */
export function reserve(accessToken: string, seat: string): string | undefined {
  const body = { userId: memberId, concertSeatId: Number(seat) };
  const reservation = takeUnlessConflict(
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
  if (reservation !== 'conflict') return reservation;
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
