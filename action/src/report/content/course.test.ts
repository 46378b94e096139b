import { expect, it } from 'vitest';
import { type Course, mostDips } from '../../model/course.ts';
import { dipsText } from './course.ts';

const dip = { startedAt: '2026-01-01T00:00:00.000Z', seconds: 3, tps: 5 };
const courseWith = (dips: number): Course => ({
  minutes: 30,
  usualTps: 100,
  dips: Array.from({ length: dips }, () => dip),
  trends: [],
});

it('counts dips that are not listed, as the fewest that there were if no more of them are kept', () => {
  expect(dipsText({ course: courseWith(mostDips - 1) })).toContain('; and 14 more; usually 100 requests/s');
  expect(dipsText({ course: courseWith(mostDips) })).toContain('; and at least 15 more; usually');
});
