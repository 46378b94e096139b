import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { createK6 } from '../../src/adapters/k6/generator.ts';
import type { LoadSink } from '../../src/measure/ports.ts';
import { ownEndpoints } from '../../src/model/run.ts';

const perf = new URL('../../../perf/', import.meta.url);
const gate: {
  scenarios: Record<string, { script: string; endpoints: string[]; env?: Record<string, string> }>;
} = parse(readFileSync(new URL('gate.yml', perf), 'utf8'));
const k6 = createK6({ binary: process.env.GATE_K6 ?? 'k6', path: process.env.PATH });

interface Row {
  readonly id: number;
  readonly member: number;
  /** Of a plan only. */
  readonly trip?: number;
  readonly added: boolean;
  version: number;
}

/** Enough of the members that have trips. */
const SEEDED = [1, 2, 3, 4999, 5000];

/** The service as the scenarios know it, in memory, with some members' rows as they are seeded. */
class TripService {
  readonly members = new Set<number>();
  readonly trips = new Map<number, Row>();
  readonly plans = new Map<number, Row>();
  /** Endpoint of every request, in order. */
  readonly endpoints: string[] = [];
  /** What no scenario should ever make the service say: not found, not yours, not the version. */
  readonly complaints: string[] = [];
  /** Endpoints that answer 500, or 200 with nothing in it. */
  broken = '';
  hollow = '';
  /** Answers to `order` before a fan is let in. */
  waiting: number[] = [];
  /** Seats that somebody else reserves between the look and the reservation. */
  contested = false;
  soldOut = false;
  /** Whether fans may ask for other seats than the free one of a listing. */
  anySeat = false;
  /** Requests of each member that are answered. Further ones wait for good. Signing out is always answered. */
  answersEach = Number.POSITIVE_INFINITY;
  /** Endpoints that answered each member, without signing out. */
  readonly answered = new Map<number, string[]>();
  onAnswer = () => {};
  readonly sold: number[] = [];
  url = '';
  #lastId = 1_000_000;

  async start(members: readonly number[] = SEEDED): Promise<this> {
    for (const member of members)
      for (let trip = 4 * (member - 1) + 1; trip <= 4 * member; trip++) {
        this.trips.set(trip, { id: trip, member, added: false, version: 0 });
        for (let plan = 10 * (trip - 1) + 1; plan <= 10 * trip; plan++) {
          this.plans.set(plan, { id: plan, member, trip, added: false, version: 0 });
        }
      }
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const part of request) body += part;
      const fields = body === '' ? {} : JSON.parse(body);
      const isSigningOut = request.url === '/members/logout';
      const member = holderOf(request) || memberOf(fields.email);
      const before = this.answered.get(member) ?? [];
      if (!isSigningOut && before.length >= this.answersEach) return;
      const { status, answer, location, token } = this.#answer(request, fields);
      if (!isSigningOut) this.answered.set(member, [...before, this.endpoints.at(-1) ?? '']);
      this.onAnswer();
      if (status >= 400 && status < 500)
        this.complaints.push(`${status} ${request.method} ${request.url} ${body}`);
      response.writeHead(status, {
        ...(location === undefined ? {} : { Location: location }),
        ...(token === undefined ? {} : { 'X-Access-Token': token }),
      });
      response.end(answer === undefined ? '' : JSON.stringify(answer));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return this;
  }

  rows(): string {
    return JSON.stringify([[...this.trips.keys()], [...this.plans.keys()]]);
  }

  // biome-ignore lint/suspicious/noExplicitAny: bodies are what the scripts send, compared field by field.
  #answer(request: IncomingMessage, body: any): Answer {
    const url = new URL(request.url ?? '', 'http://service');
    if (/^\/(queues|concerts)/.test(url.pathname)) return this.#book(request, url.pathname, body);
    if (url.pathname === '/quotes/random') {
      this.endpoints.push('quote');
      return this.broken === 'quote' ? { status: 500 } : { status: 200, answer: { id: 1, text: 'A quote.' } };
    }
    const [, collection, id, part, partId, action] = url.pathname.split('/');
    const trip = this.trips.get(Number(id));
    const plan = this.plans.get(Number(partId));
    const endpoint = nameOf(
      `${request.method} ${[collection, id && 'N', part, partId && 'N', action].filter(Boolean).join('/')}`,
      trip,
    );
    if (collection === 'members' && id === 'logout') {
      this.endpoints.push('logout');
      return { status: request.headers.authorization === undefined ? 401 : 204 };
    }
    if (collection === 'members') {
      const member = memberOf(body.email);
      this.endpoints.push('login');
      if (this.broken === 'login') return { status: 500 };
      if (this.hollow === 'login') return { status: 200, answer: {} };
      if (body.password !== 'password') return { status: 401 };
      this.members.add(member);
      return { status: 200, answer: { token: `token-${member}`, expiresInSeconds: 60, memberId: member } };
    }
    this.endpoints.push(endpoint);
    const member = holderOf(request);
    if (Number.isNaN(member)) return { status: 401 };
    if (id !== undefined && trip?.member !== member) return { status: 404 };
    if (part === 'plans' && partId !== undefined && plan?.trip !== trip?.id) return { status: 404 };
    if (this.broken === endpoint) return { status: 500 };
    const hollow = this.hollow === endpoint;

    switch (endpoint) {
      case 'trip-overview': {
        const own = hollow ? [] : [...this.trips.values()].filter((row) => row.member === member);
        return {
          status: 200,
          answer: { items: own.map((row) => ({ id: row.id })), page: 0, size: 20, total: own.length },
        };
      }
      case 'trip-detail':
      case 'trip-detail-new':
        return { status: 200, answer: hollow ? {} : { id: trip?.id, version: trip?.version } };
      case 'trip-add': {
        const row = this.#add(this.trips, { member });
        return hollow
          ? { status: 201 }
          : { status: 201, answer: { id: row.id, version: 0 }, location: `${this.url}/trips/${row.id}` };
      }
      case 'trip-update':
        return change(trip, body.version);
      case 'trip-delete':
        this.trips.delete(Number(id));
        for (const row of this.plans.values()) if (row.trip === Number(id)) this.plans.delete(row.id);
        return { status: 204 };
      case 'plan-overview': {
        const own = [...this.plans.values()].filter((row) => row.trip === trip?.id);
        const plans = hollow ? [] : own.map((row) => ({ id: row.id }));
        return { status: 200, answer: { tripId: trip?.id, days: [{ day: 1, plans }] } };
      }
      case 'plan-detail':
        return {
          status: 200,
          answer: hollow ? {} : { id: plan?.id, tripId: trip?.id, version: plan?.version },
        };
      case 'plan-add-first':
      case 'plan-add': {
        const row = this.#add(this.plans, { member, trip: Number(id) });
        return { status: 201, answer: { id: row.id, version: 0 }, location: `/trips/${id}/plans/${row.id}` };
      }
      case 'plan-update':
        return change(plan, body.version);
      case 'plan-delete':
        this.plans.delete(Number(partId));
        return { status: 204 };
      case 'plan-sort':
        return { status: 200, answer: { day: Number(partId), plans: [] } };
      default:
        return { status: 404 };
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above.
  #book(request: IncomingMessage, path: string, body: any): Answer {
    const query = new URL(request.url ?? '', 'http://service').search.replace(/=.*/, '');
    const endpoint = bookingNames[`${request.method} ${path.replace(/\d+/g, 'N')}${query}`] ?? path;
    this.endpoints.push(endpoint);
    if (this.broken === endpoint) return { status: 500 };
    if (this.hollow === endpoint) return { status: endpoint === 'queue-enqueue' ? 201 : 200, answer: {} };
    if (endpoint === 'queue-enqueue') {
      if (request.headers.authorization !== `Bearer token-${body.userId}`) return { status: 401 };
      return { status: 201, token: `fan-${body.userId}` };
    }
    const fan = Number(/^fan-(\d+)$/.exec(String(request.headers['x-access-token']))?.[1]);
    if (Number.isNaN(fan)) return { status: 401 };
    const id = Number(/\d+/.exec(path)?.[0]);
    switch (endpoint) {
      case 'queue-order':
        return { status: 200, answer: { order: this.waiting.shift() ?? 0 } };
      case 'concerts':
        return { status: 200, answer: [{ id: 1 }] };
      case 'schedules':
      case 'schedules-from':
        return id >= 1 && id <= 100 ? { status: 200, answer: [{ id: 1 }] } : { status: 404 };
      case 'seats':
        if (id < 1 || id > 10_000) return { status: 404 };
        return {
          status: 200,
          answer: ['SOLD', 'AVAILABLE', 'RESERVED'].map((status, seat) => ({
            id: 3 * id + seat,
            seatNumber: seat,
            price: 1,
            status: this.soldOut ? 'SOLD' : status,
          })),
        };
      case 'reserve':
        if (body.userId !== fan || !(this.anySeat || body.concertSeatId % 3 === 1)) return { status: 404 };
        return this.contested ? { status: 409 } : { status: 200, answer: { reservationId: fan } };
      case 'pay':
        if (body.userId !== fan || id !== fan) return { status: 404 };
        this.sold.push(id);
        return { status: 200, answer: { paymentId: 1 } };
      default:
        return { status: 404 };
    }
  }

  #add(table: Map<number, Row>, owner: { member: number; trip?: number }): Row {
    const row: Row = { id: ++this.#lastId, ...owner, added: true, version: 0 };
    table.set(row.id, row);
    return row;
  }
}

/** The member of a login; NaN if it is none. */
function memberOf(email: unknown): number {
  return Number(/^member(\d+)@example\.com$/.exec(String(email))?.[1]);
}

/** The member whose token comes with the request; NaN without one. */
function holderOf({ headers }: IncomingMessage): number {
  return Number(/^Bearer token-(\d+)$/.exec(headers.authorization ?? '')?.[1]);
}

interface Answer {
  readonly status: number;
  readonly answer?: object;
  readonly location?: string;
  readonly token?: string;
}

const bookingNames: Record<string, string> = {
  'POST /queues/enqueue': 'queue-enqueue',
  'GET /queues/order': 'queue-order',
  'GET /concerts': 'concerts',
  'GET /concerts/N/schedules': 'schedules',
  'GET /concerts/N/schedules?from': 'schedules-from',
  'GET /concerts/schedules/N/seats': 'seats',
  'POST /concerts/reservation': 'reserve',
  'POST /concerts/reservations/N/pay': 'pay',
};

function change(row: Row | undefined, version: unknown): { status: number; answer?: object } {
  if (row === undefined || row.version !== version) return { status: 409 };
  row.version++;
  return { status: 200, answer: { version: row.version } };
}

function nameOf(route: string, trip: Row | undefined): string {
  const names: Record<string, string> = {
    'GET trips': 'trip-overview',
    'GET trips/N': trip?.added ? 'trip-detail-new' : 'trip-detail',
    'POST trips': 'trip-add',
    'PUT trips/N': 'trip-update',
    'DELETE trips/N': 'trip-delete',
    'GET trips/N/plans': 'plan-overview',
    'GET trips/N/plans/N': 'plan-detail',
    'POST trips/N/plans': trip?.added ? 'plan-add-first' : 'plan-add',
    'PUT trips/N/plans/N': 'plan-update',
    'DELETE trips/N/plans/N': 'plan-delete',
    'POST trips/N/days/N/sort': 'plan-sort',
  };
  return names[route] ?? route;
}

class Recorder implements LoadSink {
  readonly endpoints: string[] = [];
  readonly failed = new Set<string>();
  readonly failedChecks = new Set<string>();
  passes = 0;

  request(endpoint: string, _endedAtMs: number, _durationMs: number, failed: boolean): void {
    this.endpoints.push(endpoint);
    if (failed) this.failed.add(endpoint);
  }

  users(): void {}

  failedCheck(endpoint: string): void {
    this.failedChecks.add(endpoint);
  }

  iteration(): void {
    this.passes++;
  }

  received(): void {}

  metric(): void {}

  exception(): void {}

  dropped(): void {
    throw new Error('a closed loop drops no pass');
  }
}

/** How a load ends that misses a threshold which all scenarios share. */
const missed = (metric: 'http_req_failed' | 'checks') => ({ kind: 'thresholds-missed', metrics: [metric] });

/** If k6 stands still for as long as such a short load, it starts no user. Then it gets another chance, four at most. */
async function load(name: string, service: TripService, vus = 1, env: Record<string, string> = {}) {
  const before = service.endpoints.length;
  for (let chances = 4; ; chances -= 1) {
    const seen = new Recorder();
    const result = await run({ name, service, vus, seconds: vus === 1 ? 0.2 : 1, env }, seen);
    if (service.endpoints.length > before || chances === 0) return { seen, ...result };
  }
}

interface Load {
  readonly name: string;
  readonly service: TripService;
  readonly vus: number;
  readonly seconds: number;
  readonly env?: Record<string, string>;
}

function run({ name, service, vus, seconds, env }: Load, sink: LoadSink, ...signals: AbortSignal[]) {
  const script = fileURLToPath(new URL(gate.scenarios[name]?.script ?? '', perf));
  const stages = [
    { seconds: 0, vus },
    { seconds, vus },
  ];
  const spec = { script, stages, thresholds: true, env: { BASE_URL: service.url, ...env } };
  return k6.start(spec, sink, AbortSignal.any([AbortSignal.timeout(300_000), ...signals])).done;
}

function repeated(endpoints: readonly string[], times: number): string[] {
  return Array.from({ length: times }, () => endpoints).flat();
}

/** The steps that VU 1 takes first in its whole first pass, to get to its place. Users of `booking` start at the login. */
function preparedIn(name: string): readonly string[] {
  return isBooking(name) ? [] : ['login', 'trip-overview'];
}

/** VU 1's requests over so many passes. Whoever got further than the login signs out. */
function passesOf(name: string, endpoints: readonly string[], times: number): string[] {
  const inFirst = (index: number) => index < endpoints.length;
  const pass = endpoints.length > 1 ? [...endpoints, ownEndpoints.preparation] : endpoints;
  return repeated(pass, times).map((endpoint, index) =>
    inFirst(index) && preparedIn(name).includes(endpoint) ? ownEndpoints.preparation : endpoint,
  );
}

const scenarios = Object.entries(gate.scenarios);
const isJourney = ([, { endpoints }]: (typeof scenarios)[number]) => endpoints.length > 1;
const journeys = scenarios.filter(isJourney);
const isBooking = (name: string) => name.startsWith('booking');

it.each(scenarios)('%s compiles', async (_, { script, env = {} }) => {
  await k6.check(fileURLToPath(new URL(script, perf)), env);
});

describe.each(journeys)('%s', (name, { endpoints }) => {
  it('takes the steps that the gate expects, in their order, and leaves the rows it found', async () => {
    const service = await new TripService().start();
    const before = service.rows();
    const { seen, end, exceptions, errors } = await load(name, service);
    expect({ end, exceptions, errors }).toEqual({ end: { kind: 'finished' }, exceptions: 0, errors: [] });
    expect(seen.passes).toBeGreaterThan(0);
    expect(seen.endpoints).toEqual(passesOf(name, endpoints, seen.passes));
    expect(service.endpoints).toEqual(repeated([...endpoints, 'logout'], seen.passes));
    expect(service.complaints).toEqual([]);
    expect(service.rows()).toBe(before);
  });

  it('makes every VU a member of its own', async () => {
    const service = await new TripService().start();
    const first = await load(name, service, 3);
    expect([...service.members].sort()).toEqual([1, 2, 3]);
    service.members.clear();
    const second = await load(name, service, 2, { VU_OFFSET: '4998' });
    expect([...service.members].sort()).toEqual([4999, 5000]);
    expect(service.complaints).toEqual([]);
    expect([...first.seen.failed, ...second.seen.failed]).toEqual([]);
  });

  it.each(endpoints)('goes on as far as it can without %s', async (broken) => {
    const service = await new TripService().start();
    service.broken = broken;
    const before = service.rows();
    const { seen, end, exceptions } = await load(name, service);
    expect({ end, exceptions }).toEqual({ end: missed('http_req_failed'), exceptions: 0 });
    const taken = passesOf(name, without(broken, endpoints), seen.passes);
    expect(seen.failed).toEqual(
      new Set(
        preparedIn(name).includes(broken)
          ? taken.filter((one) => one === broken || one === ownEndpoints.preparation)
          : [broken],
      ),
    );
    expect([...seen.failedChecks]).toEqual([]);
    expect(service.complaints).toEqual([]);
    expect(seen.passes).toBeGreaterThan(0);
    expect(seen.endpoints).toEqual(taken);
    // A row whose deletion failed is the service's to answer for.
    if (!broken.endsWith('-delete')) expect(service.rows()).toBe(before);
  });

  it.each(
    endpoints.filter((endpoint) =>
      /^(login|trip-overview|trip-detail-new|queue-enqueue|queue-order|seats|reserve)$/.test(endpoint),
    ),
  )('counts an answer of %s with nothing in it as an error', async (hollow) => {
    const service = await new TripService().start();
    service.hollow = hollow;
    const { seen, end, exceptions } = await load(name, service);
    expect({ end, exceptions }).toEqual({ end: missed('checks'), exceptions: 0 });
    expect([...seen.failedChecks]).toEqual([hollow]);
    expect(service.complaints).toEqual([]);
    expect(seen.endpoints).toEqual(passesOf(name, without(hollow, endpoints), seen.passes));
  });
});

describe.each(journeys.filter(([name]) => !isBooking(name)))('%s from anywhere', (name, { endpoints }) => {
  const vus = 4 * endpoints.length;
  const members = Array.from({ length: vus }, (_, index) => index + 1);

  it('leaves the rows it found, wherever its users start', async () => {
    const service = await new TripService().start(members);
    const before = service.rows();
    const { seen, exceptions } = await load(name, service, vus);
    expect({ exceptions, failed: seen.failed, complaints: service.complaints }).toEqual({
      exceptions: 0,
      failed: new Set(),
      complaints: [],
    });
    expect(service.endpoints.length).toBe(seen.endpoints.length);
    expect(service.rows()).toBe(before);
  });

  it('has its mix of requests before any user has finished a pass', async () => {
    const service = await new TripService().start(members);
    const [preparations, steps] = [2, 2];
    service.answersEach = preparations + steps;
    const done = new AbortController();
    const all = new Error('all steps are answered');
    const ofMembers = () => [...service.answered.values()];
    service.onAnswer = () => {
      const count = ofMembers().reduce((sum, { length }) => sum + length, 0);
      if (count === (preparations + steps) * vus) done.abort(all);
    };
    // As the service saw them: on a slow host, k6 gives up the requests that wait for good before the others are answered.
    const load = run({ name, service, vus, seconds: 600 }, new Recorder(), done.signal);
    await expect(load).rejects.toBe(all);
    const taken = ofMembers().flatMap((own) => own.slice(preparations));
    const timesEach = (steps * vus) / endpoints.length;
    expect(taken.toSorted()).toEqual(endpoints.toSorted().flatMap((one) => repeated([one], timesEach)));
  });
});

it('lets several VUs act as one member if a variable says so', async () => {
  const service = await new TripService().start();
  const before = service.rows();
  const { seen, end } = await load('plan-share', service, 6, gate.scenarios['plan-share']?.env);
  expect(end).toEqual({ kind: 'finished' });
  expect([...service.members].sort()).toEqual([1, 2]);
  expect([...seen.failed, ...service.complaints]).toEqual([]);
  expect(service.rows()).toBe(before);
});

describe.each(scenarios.filter((one) => !isJourney(one)))('%s', (name, { env, endpoints }) => {
  it('counts that endpoint alone', async () => {
    const service = await new TripService().start();
    service.anySeat = true;
    const { seen, end } = await load(name, service, 2, env);
    expect(end).toEqual({ kind: 'finished' });
    const prepared = env?.STEP === undefined ? [] : [ownEndpoints.preparation];
    expect(new Set(seen.endpoints)).toEqual(new Set([...prepared, ...endpoints]));
    expect([...seen.failed, ...seen.failedChecks, ...service.complaints]).toEqual([]);
  });

  it('fails with that endpoint', async () => {
    const service = await new TripService().start();
    service.anySeat = true;
    service.broken = endpoints[0] ?? '';
    const { seen, end } = await load(name, service, 1, env);
    expect(end).toEqual(missed('http_req_failed'));
    expect([...seen.failed]).toContain(endpoints[0]);
  });
});

describe('booking', () => {
  const env = { QUEUE_POLL_SECONDS: '0.01' };

  it('asks for its place until it is let in', async () => {
    const service = await new TripService().start();
    service.waiting = [3, 2, 1];
    const { seen } = await load('booking', service, 1, env);
    expect(seen.endpoints.slice(0, 7)).toEqual([
      'login',
      'queue-enqueue',
      ...repeated(['queue-order'], 4),
      'concerts',
    ]);
    expect(service.sold.length).toBeGreaterThan(0);
  });

  it.each(['contested', 'soldOut'] as const)('counts a seat that is %s as no error', async (state) => {
    const service = await new TripService().start();
    service[state] = true;
    const { seen, exceptions } = await load('booking', service, 1, env);
    expect(exceptions).toBe(0);
    expect([...seen.failed, ...seen.failedChecks]).toEqual([]);
    expect(seen.endpoints).toContain('seats');
    expect(seen.endpoints.includes('reserve')).toBe(state === 'contested');
    expect(seen.endpoints).not.toContain('pay');
    expect(service.sold).toEqual([]);
  });

  it('draws among few evenings if a variable says so', async () => {
    const service = await new TripService().start();
    const { seen } = await load('booking', service, 1, { ...env, BOOKING_SCHEDULES: '1' });
    expect(seen.failed.size).toBe(0);
    expect(service.sold.length).toBeGreaterThan(0);
  });
});

/** The steps that are left when one fails: those that need what it answers are not taken. */
function without(broken: string, endpoints: readonly string[]): string[] {
  const needs: Record<string, readonly string[]> = {
    'trip-detail': ['trip-overview'],
    'trip-detail-new': ['trip-add'],
    'trip-update': ['trip-add', 'trip-detail-new'],
    'plan-add-first': ['trip-add'],
    'trip-delete': ['trip-add'],
    'plan-overview': ['trip-overview'],
    'plan-add': ['trip-overview'],
    'plan-detail': endpoints.includes('plan-add')
      ? ['trip-overview', 'plan-add']
      : ['trip-overview', 'plan-overview'],
    'plan-update': ['trip-overview', 'plan-add', 'plan-detail'],
    'plan-delete': ['trip-overview', 'plan-add'],
    'plan-sort': ['trip-overview'],
    reserve: ['seats'],
    pay: ['seats', 'reserve'],
  };
  if (/^(login|queue-enqueue|queue-order)$/.test(broken))
    return endpoints.slice(0, endpoints.indexOf(broken) + 1);
  const left = endpoints.filter((endpoint) => !needs[endpoint]?.includes(broken));
  return left.flatMap((endpoint) =>
    repeated([endpoint], endpoint === broken && broken.endsWith('-delete') ? 3 : 1),
  );
}
