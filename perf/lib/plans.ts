import { create, take, takeAndFind, takeDelete } from './client.ts';

/** The day to add to and to sort. Each seeded trip has it. */
const DAY = 1;
const STOP = { latitude: 37.5512, longitude: 126.9882, memo: 'Tickets at the gate' };

/** The seed gives each trip ten plans. */
function firstPlan(trip: string): string {
  return String(10 * (Number(trip.slice('/trips/'.length)) - 1) + 1);
}

/** Lists the plans of a trip and returns the path of the first one. */
export function planOverview(token: string, trip: string): string | undefined {
  const id = takeAndFind(
    {
      endpoint: 'plan-overview',
      method: 'GET',
      path: `${trip}/plans`,
      token,
      expect: 200,
      known: firstPlan(trip),
    },
    /"id":(\d+)/,
  );
  return id === undefined ? undefined : `${trip}/plans/${id}`;
}

/** Adds a plan and returns its path. */
export function planAdd(token: string, trip: string): string | undefined {
  const body = { day: DAY, place: 'Tower', ...STOP };
  return create({ endpoint: 'plan-add', method: 'POST', path: `${trip}/plans`, token, body, expect: 201 });
}

/** Adds the first plan of a new trip. The trip's deletion removes it. */
export function planAddFirst(token: string, trip: string): boolean {
  const body = { day: DAY, place: 'Station', ...STOP };
  const path = `${trip}/plans`;
  return take({ endpoint: 'plan-add-first', method: 'POST', path, token, body, expect: 201 });
}

/** Reads a plan and returns its version, which an update must send back. */
export function planDetail(token: string, plan: string): string | undefined {
  return takeAndFind(
    { endpoint: 'plan-detail', method: 'GET', path: plan, token, expect: 200, known: '0' },
    /"version":(\d+)/,
  );
}

export function planUpdate(token: string, plan: string, version: string): boolean {
  const body = { place: 'Tower by night', ...STOP, version: Number(version) };
  return take({ endpoint: 'plan-update', method: 'PUT', path: plan, token, body, expect: 200 });
}

export function planDelete(token: string, plan: string): boolean {
  return takeDelete({ endpoint: 'plan-delete', path: plan, token });
}

/** Orders the stops of a day by distance. */
export function planSort(token: string, trip: string): boolean {
  return take({
    endpoint: 'plan-sort',
    method: 'POST',
    path: `${trip}/days/${DAY}/sort`,
    token,
    expect: 200,
  });
}
