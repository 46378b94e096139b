import { describe, expect, it } from 'vitest';
import { type Journey, mannerOf, placeOf } from '../../../perf/lib/first-pass.ts';

const browse: Journey = { steps: ['login', 'overview', 'detail', 'plan'] };
const edit: Journey = {
  steps: ['login', 'overview', 'add', 'read', 'update', 'delete', 'sort'],
  row: { addedBy: 'add', deletedBy: 'delete' },
};

/** The requests of a pass of a user who begins at the place, with prepared steps in brackets. */
function passOf(journey: Journey, place: number, pass: number): string[] {
  return journey.steps.flatMap((step) => {
    const manner = mannerOf(step, journey, place, pass);
    return manner === 'skip' ? [] : [manner === 'prepare' ? `(${step})` : step];
  });
}

function requestsOf(journey: Journey, place: number): string[] {
  return [0, 1, 2].flatMap((pass) => passOf(journey, place, pass));
}

describe.each([
  ['that only reads', browse],
  ['that adds a row', edit],
])('a journey %s', (_, journey) => {
  const places = journey.steps.map((_, place) => place);

  it('has as many users at each place', () => {
    const users = Array.from({ length: 10 * places.length }, (_, index) => placeOf(index + 1, journey));
    for (const place of places) expect(users.filter((one) => one === place)).toHaveLength(10);
  });

  it('begins with two preparations for every user', () => {
    for (const place of places) {
      const prepared = requestsOf(journey, place).map((request) => request.startsWith('('));
      expect(prepared.lastIndexOf(true), `${place}`).toBe(1);
      expect(prepared[0]).toBe(true);
    }
  });

  it('has every step once among its users, from their third request on', () => {
    for (let request = 2; request < 2 * places.length; request++) {
      const now = places.map((place) => requestsOf(journey, place)[request]);
      expect(now.toSorted()).toEqual(journey.steps.toSorted());
    }
  });

  it('is a whole pass for the first user', () => {
    const [login = '', overview = '', ...rest] = journey.steps;
    const whole = [`(${login})`, `(${overview})`, ...rest];
    expect(passOf(journey, placeOf(1, journey), 0)).toEqual(whole);
  });
});

it('lets only those add a row who then delete it', () => {
  for (const [place, step] of edit.steps.entries()) {
    const pass = passOf(edit, place, 0).join(' ');
    expect(pass.includes('add'), step).toBe(pass.includes('delete'));
  }
});

it('takes every step of a journey that names none', () => {
  expect(mannerOf('login', { steps: [] }, placeOf(1, { steps: [] }), 0)).toBe('take');
});
