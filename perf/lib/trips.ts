import { create, take, takeAndFind, takeDelete } from './client.ts';
import { memberId } from './members.ts';

/** The seed gives each member four trips, and the first of them has the earliest date. */
const FIRST_TRIP = String(4 * (memberId - 1) + 1);

/** This period is far in the future, so the new trip stays upcoming and is never the first in the list. */
const PERIOD = { startDate: '2097-05-01', endDate: '2097-05-04' };

/** Lists the trips and returns the path of the first one. */
export function tripOverview(token: string): string | undefined {
  const id = takeAndFind(
    {
      endpoint: 'trip-overview',
      method: 'GET',
      path: '/trips?page=0&size=20',
      token,
      expect: 200,
      known: FIRST_TRIP,
    },
    /"id":(\d+)/,
  );
  return id === undefined ? undefined : `/trips/${id}`;
}

export function tripDetail(token: string, trip: string): boolean {
  return take({ endpoint: 'trip-detail', method: 'GET', path: trip, token, expect: 200 });
}

/** Adds a trip and returns its path. */
export function tripAdd(token: string): string | undefined {
  const body = { title: 'Spring tour', ...PERIOD };
  return create({ endpoint: 'trip-add', method: 'POST', path: '/trips', token, body, expect: 201 });
}

/** Reads the new trip and returns its version, which an update must send back. */
export function tripDetailNew(token: string, trip: string): string | undefined {
  return takeAndFind(
    { endpoint: 'trip-detail-new', method: 'GET', path: trip, token, expect: 200, known: '0' },
    /"version":(\d+)/,
  );
}

export function tripUpdate(token: string, trip: string, version: string): boolean {
  const body = { title: 'Spring tour, changed', ...PERIOD, version: Number(version) };
  return take({ endpoint: 'trip-update', method: 'PUT', path: trip, token, body, expect: 200 });
}

export function tripDelete(token: string, trip: string): boolean {
  return takeDelete({ endpoint: 'trip-delete', path: trip, token });
}
