import { describe, expect, it } from 'vitest';
import { mostDips } from '../../src/model/course.ts';
import type { Soak } from '../../src/model/soak.ts';
import { soakFinding } from '../../src/report/content/soak.ts';
import { plainPaint } from '../../src/report/format/paint.ts';
import { displayWidth } from '../../src/report/format/text-layout.ts';
import { findingPage, findingText } from '../../src/report/render/finding.ts';
import { expectHarmless } from './harmless-page.ts';

const MiB = 2 ** 20;
const points = (from: number, growth: number) =>
  Array.from({ length: 20 }, (_, index) => ({ at: index / 2, value: from + (growth * index) / 2 }));
const trend = (level: number, value: number, half: number) => ({
  from: 0,
  to: 9.5,
  level,
  growth: { value, low: value - half, high: value + half },
});

const flat: Soak = {
  schema: 1,
  id: '20260101-000000-abcdef',
  startedAt: '2026-01-01T00:00:00.000Z',
  cell: 'trip-edit@peak',
  vus: 510,
  commit: '0123456789abcdef0123456789abcdef01234567',
  machine: { cpuModel: 'A processor', cpuCount: 2, memoryGiB: 4 },
  blockSeconds: 30,
  series: [
    {
      name: 'liveHeap',
      title: 'live heap',
      unit: 'bytes',
      points: points(80 * MiB, 0),
      most: 512 * MiB,
      trend: { ...trend(80 * MiB, 0.01 * MiB, 0.2 * MiB), grows: false, leaks: false },
    },
    {
      name: 'p95',
      title: 'p95',
      unit: 'ms',
      points: points(310, -0.5),
      trend: { ...trend(307, -0.5, 3), grows: false, leaks: false },
    },
    { name: 'rows.trips', title: 'rows of trips', unit: '', points: points(20_106, 0) },
    { name: 'log', title: 'log', unit: 'bytes', points: points(2000, 10).slice(0, 3) },
  ],
  requests: 612_000,
  errorRate: 0,
  failedShare: 0,
  dips: [{ startedAt: '2026-01-01T00:04:20.000Z', seconds: 6, tps: 220, p95Ms: 690 }],
  grown: [],
  grownThreads: [],
};
const cases: Readonly<Record<string, Soak>> = {
  flat,
  leaking: {
    ...flat,
    series: [
      {
        name: 'liveHeap',
        title: 'live heap',
        unit: 'bytes',
        points: points(80 * MiB, 6 * MiB),
        most: 512 * MiB,
        trend: { ...trend(107 * MiB, 6 * MiB, 0.3 * MiB), grows: true, leaks: true, hoursLeft: 1.04 },
      },
      {
        name: 'liveThreads',
        title: 'threads',
        unit: '',
        points: points(40, 12),
        trend: { ...trend(97, 12, 0.5), grows: true, leaks: true },
      },
      ...flat.series.slice(1),
    ],
    grownThreads: [{ name: 'pool-#-thread-#', more: 114 }],
    grown: [
      { name: '[B', instances: 70_000, bytes: 70 * MiB, moreBytes: 52 * MiB, moreInstances: 51_000 },
      {
        name: 'java.lang.String',
        instances: 90_000,
        bytes: 3 * MiB,
        moreBytes: 1.2 * MiB,
        moreInstances: -502,
      },
    ],
  },
  growing: {
    ...flat,
    series: [
      ...flat.series,
      {
        name: 'redisLastingKeys',
        title: 'Redis keys without a lifetime',
        unit: '',
        points: points(752_703, 4000),
        trend: { ...trend(770_000, 4000, 80), grows: true, leaks: false },
      },
    ],
    dips: [],
  },
  collapsed: {
    ...flat,
    series: [
      {
        name: 'liveHeap',
        title: 'live heap',
        unit: 'bytes',
        points: points(133 * MiB, 40 * MiB),
        most: 512 * MiB,
        trend: {
          ...trend(300 * MiB, 40 * MiB, 9 * MiB),
          to: 8,
          grows: true,
          leaks: true,
          hoursLeft: 0.004,
        },
      },
      ...flat.series.slice(1),
    ],
    failedShare: 0.08,
    collapsedAt: 8.5,
    dips: [],
  },
  failing: {
    ...flat,
    arrival: 33,
    series: [
      { name: 'poolActive', title: 'connections in use', unit: '', points: points(10, 0), most: 10 },
      ...flat.series,
    ],
    errorRate: 1,
    failedShare: 1,
    dips: [],
  },
  keeping: {
    ...flat,
    arrival: 33,
    series: [
      {
        name: 'connectionsAtRest',
        title: 'connections in use between blocks',
        unit: '',
        points: points(10, 0),
        most: 10,
        trend: { ...trend(10, 0, 0), grows: false, leaks: true },
      },
      ...flat.series,
    ],
    errorRate: 1,
    failedShare: 1,
    dips: [],
  },
  partial: {
    ...flat,
    series: flat.series.slice(-1),
    dips: [],
    partial: 'the service ended while it was loaded',
  },
};

it('draws the trend as far as it was fitted', () => {
  const ends = (name: string) =>
    soakFinding(cases[name] ?? flat).charts[0]?.lines[1]?.points.map(({ x, y }) => [x, y / MiB]);
  // The level is that of the middle of the time that was fitted: 4 minutes at 40 MiB are 160 MiB.
  expect(ends('collapsed')).toEqual([
    [0, 140],
    [8, 460],
  ]);
  expect(ends('leaking')).toEqual([
    [0, 107 - 6 * 4.75],
    [9.5, 107 + 6 * 4.75],
  ]);
});

it('says that there may be more dips than are kept', () => {
  const [dip] = flat.dips;
  const dips = Array.from({ length: mostDips }, () => dip ?? expect.fail('no dip'));
  const textOf = (some: Soak['dips']) => soakFinding({ ...flat, dips: some }).because.join(' ');
  expect(textOf(dips)).toContain('Throughput dipped at least 20 times: ');
  expect(textOf(dips.slice(1))).toContain('Throughput dipped 19 times: ');
});

describe.each(Object.entries(cases))('a soak, %s', (name, given) => {
  it.each([80, 120])('as text, %i columns', async (width) => {
    const text = findingText(soakFinding(given), { width, paint: plainPaint });
    for (const line of text.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(width);
    await expect(text).toMatchFileSnapshot(`soak/${name}-${width}.txt`);
  });

  it('as a page', () => {
    const page = findingPage(soakFinding(given));
    expectHarmless(page, []);
    expect(page).toContain('<svg');
  });
});
