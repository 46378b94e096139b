import { describe, expect, it } from 'vitest';
import { configSchema } from '../model/config.ts';
import { Fault } from '../model/fault.ts';
import { cellName } from '../model/run.ts';
import {
  asOneLoad,
  balanced,
  confirming,
  partsOf,
  planSuite,
  repeatSeconds,
  roundOrder,
  scriptsOf,
  sideOrder,
  warmUpScenarios,
  withRounds,
} from './plan.ts';

const config = configSchema.parse({
  version: 1,
  name: 'shop',
  stack: {
    process: {
      service: {
        command: ['shop'],
        ports: { PORT: 'auto' },
        url: 'http://127.0.0.1',
        ready: { url: 'http://127.0.0.1' },
      },
    },
  },
  scenarios: {
    edit: {
      script: 'edit.ts',
      endpoints: ['login'],
      loads: {
        average: { vus: 130, ramp: { start: 10, add: 20, every: '10s' } },
        peak: { vus: 510, ramp: { start: 10, add: 50, every: '10s' } },
      },
    },
    browse: { script: 'browse.ts', loads: { average: { vus: 5 } } },
    book: {
      script: 'book.ts',
      env: { POLL: '1' },
      loads: {
        wave: {
          vus: 150,
          profile: [
            { vus: 150, over: '30s' },
            { vus: 0, over: '10s' },
          ],
        },
        few: { vus: 5 },
      },
    },
    visit: {
      script: 'visit.ts',
      loads: {
        steady: { arrival: { rate: 90, per: '2s', vus: 200 } },
        brief: { arrival: { rate: 40 } },
        climbing: { arrival: { rate: 40 }, ramp: { start: 10, add: 20, every: '10s' } },
        wave: {
          arrival: { rate: 60, per: '2s' },
          profile: [
            { rate: 60, over: '10s' },
            { rate: 0, over: '5s' },
          ],
        },
        crowd: { users: { count: 300, over: '30s', cap: '1m' } },
      },
    },
    crowd: { script: 'book.ts', env: { POLL: '1', SEATS: '20' }, loads: { peak: { vus: 50 } } },
  },
  suites: {
    pr: { cells: ['edit@average', 'edit@peak', 'browse@average'], rounds: 3, guard: '3s', counted: '8s' },
    wave: { cells: ['book@wave'], rounds: 2 },
    crowd: { cells: ['book@wave', 'crowd@peak', 'book@few'], rounds: 2 },
    visits: { cells: ['visit@steady', 'visit@brief'], rounds: 2, guard: '3s', counted: '8s' },
    open: { cells: ['visit@wave', 'visit@crowd'], rounds: 2, guard: '3s', counted: '8s' },
    climb: { cells: ['visit@climbing', 'visit@steady'], rounds: 2, guard: '3s', counted: '1m', ramp: true },
    counted: {
      cells: ['edit@average', 'edit@peak'],
      costs: ['book@few', 'visit@brief'],
      rounds: 3,
      guard: '3s',
      counted: '8s',
    },
    long: { cells: ['edit@average', 'browse@average'], rounds: 2, guard: '3s', counted: '10m', ramp: true },
  },
});

describe('repeatSeconds', () => {
  it.each([
    ['a quarter of a long suite', 8, 100],
    ['one block of each cell in a suite of four rounds', 4, 100],
    ['the same in a shorter one, which is more than a quarter', 2, 200],
  ])('is %s', (_, rounds, expected) => {
    expect(repeatSeconds({ loadSeconds: 400, rounds })).toBe(expected);
  });
});

describe('planSuite', () => {
  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', ''])('knows no suite %s', (suite) => {
    expect(() => planSuite(config, suite, 'gate.yml')).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ code: 'E_SUITE_UNKNOWN' }) }),
    );
  });

  it('goes to full load within the guard interval and holds it a little longer than is counted', () => {
    const [cell] = planSuite(config, 'pr', 'gate.yml').cells;
    expect(cell).toMatchObject({ scenario: 'edit', vus: 130, guardSeconds: 3, countedSeconds: 8 });
    expect(cell?.stages.slice(0, 2)).toEqual([
      { seconds: 0, vus: 1 },
      { seconds: 2, vus: 130 },
    ]);
    const seconds = cell?.stages.reduce((sum, stage) => sum + stage.seconds, 0) ?? 0;
    expect(seconds).toBeGreaterThan(11);
    expect(seconds).toBeLessThan(12);
  });

  it('lets users arrive at a fixed rate from the start', () => {
    const [steady, brief] = planSuite(config, 'visits', 'gate.yml', { vuFactor: 2 }).cells;
    expect(steady).toMatchObject({
      vus: 400,
      stages: [],
      arrival: { perSecond: 90, vus: 400, seconds: 11.5 },
      guardSeconds: 3,
      countedSeconds: 8,
    });
    expect(brief?.arrival).toMatchObject({ perSecond: 80, vus: 80 });
  });

  it('follows a profile of rates from the first pass on, and counts all of it', () => {
    const [wave] = planSuite(config, 'open', 'gate.yml', { vuFactor: 2 }).cells;
    expect(wave).toMatchObject({ vus: 60, stages: [], guardSeconds: 0 });
    expect(wave?.arrival?.perSecond).toBe(60);
    expect(wave?.arrival?.stages?.slice(-2)).toEqual([
      { seconds: 10, perSecond: 60 },
      { seconds: 5, perSecond: 0 },
    ]);
    expect(wave?.arrival?.seconds).toBeCloseTo(15.05);
    expect(wave?.countedSeconds).toBeCloseTo(14.55);
  });

  it('climbs to a rate in steps in a long run, and counts none of them', () => {
    const [climbing, steady] = planSuite(config, 'climb', 'gate.yml').cells;
    expect(climbing?.arrival?.stages).toEqual([
      { seconds: 0, perSecond: 10 },
      { seconds: 10, perSecond: 10 },
      { seconds: 0, perSecond: 30 },
      { seconds: 10, perSecond: 30 },
      { seconds: 0, perSecond: 40 },
      { seconds: 63.5, perSecond: 40 },
    ]);
    expect(climbing).toMatchObject({ guardSeconds: 23, countedSeconds: 60 });
    expect(steady?.arrival).toEqual({ perSecond: 45, vus: 200, seconds: 63.5 });
  });

  it('lets each of the users make one pass, and leaves none of them to a guard interval', () => {
    const [, crowd] = planSuite(config, 'open', 'gate.yml', { vuFactor: 0.1 }).cells;
    expect(crowd).toMatchObject({ vus: 30, guardSeconds: 0, countedSeconds: 30 });
    expect(crowd?.arrival).toEqual({ perSecond: 1, vus: 30, seconds: 30, once: { capSeconds: 60 } });
  });

  it.each([
    ['of arrivals', 'visits', 1, 64],
    ['who make one pass each', 'open', 0.1, 64],
  ])('gives every generator one of the users %s', (_, suite, vuFactor, vus) => {
    const [, cell] = planSuite({ ...config, generators: 64 }, suite, 'gate.yml', { vuFactor }).cells;
    expect(cell?.vus).toBe(vus);
  });

  it('climbs the staircase of the field report in a long run, and counts none of it', () => {
    const [cell] = planSuite(config, 'long', 'gate.yml').cells;
    const held = cell?.stages.filter(({ seconds }) => seconds > 0).map(({ vus }) => vus);
    expect(held).toEqual([10, 30, 50, 70, 90, 110, 130]);
    expect(cell?.stages.filter(({ seconds }) => seconds === 10)).toHaveLength(6);
    expect(cell?.guardSeconds).toBe(63);
    expect(cell?.countedSeconds).toBe(600);
  });

  it('starts a load without a staircase at once, also in a long run', () => {
    expect(planSuite(config, 'long', 'gate.yml').cells[1]).toMatchObject({ guardSeconds: 3 });
  });

  it('follows the profile of a load, and counts all of it', () => {
    const [cell] = planSuite(config, 'wave', 'gate.yml', { vuFactor: 0.1 }).cells;
    expect(cell).toMatchObject({ vus: 15, guardSeconds: 0, countedSeconds: 39.5, env: { POLL: '1' } });
    expect(cell?.stages).toEqual([
      { seconds: 0, vus: 1 },
      { seconds: 30, vus: 15 },
      { seconds: 10, vus: 0 },
    ]);
  });

  it('multiplies the virtual users, to at least one', () => {
    const vus = (vuFactor: number) =>
      planSuite(config, 'pr', 'gate.yml', { vuFactor }).cells.map((cell) => cell.vus);
    expect(vus(0.5)).toEqual([65, 255, 3]);
    expect(vus(0.001)).toEqual([1, 1, 1]);
  });

  it('adds up the time under load and names each script once', () => {
    const plan = planSuite(config, 'pr', 'gate.yml');
    expect(plan.loadSeconds).toBe(3 * 3 * 11);
    expect(scriptsOf(plan)).toEqual(['edit.ts', 'browse.ts']);
  });

  it('warms up for each scenario once, with its variables, also where two share a script', () => {
    expect(warmUpScenarios(planSuite(config, 'crowd', 'gate.yml'))).toMatchObject([
      { script: 'book.ts', env: { POLL: '1' } },
      { script: 'book.ts', env: { POLL: '1', SEATS: '20' } },
    ]);
  });

  it('warms up for no scenario that only counts costs, unless it is measured again', () => {
    const plan = planSuite(config, 'counted', 'gate.yml');
    expect(warmUpScenarios(plan)).toMatchObject([{ script: 'edit.ts', env: {} }]);
    expect(warmUpScenarios(confirming(plan, [['book@few']]))).toMatchObject([
      { script: 'book.ts', env: { POLL: '1' } },
    ]);
  });

  it('names the suites there are', () => {
    const refused = () => planSuite(config, 'nightly', 'perf/gate.yml');
    expect(refused).toThrow(Fault);
    expect(refused).toThrow(/E_SUITE_UNKNOWN perf\/gate\.yml/);
  });
});

describe('roundOrder', () => {
  it('runs every second round backwards, so that a drift weighs on all cells alike', () => {
    const plan = planSuite(config, 'pr', 'gate.yml');
    expect(roundOrder(plan, 1)).toEqual(roundOrder(plan, 0).toReversed());
    expect(roundOrder(plan, 2)).toEqual(roundOrder(plan, 0));
  });

  it('takes the cells that are judged by their costs only in the first two rounds', () => {
    const plan = planSuite(config, 'counted', 'gate.yml');
    const names = (round: number) => roundOrder(plan, round).map(cellName);
    expect(names(0)).toEqual(['book@few', 'visit@brief', 'edit@average', 'edit@peak']);
    expect(names(1)).toEqual(names(0).toReversed());
    expect(names(2)).toEqual(['edit@average', 'edit@peak']);
    expect(plan.rounds).toBe(3);
    expect(plan.loadSeconds).toBe(11 * (2 * 3 + 2 * 2));
    expect(plan.cells.map(({ costsAlone }) => costsAlone)).toEqual([false, false, true, true]);
  });
});

describe('confirming', () => {
  it('takes more rounds of the named cells alone, and expects the time of those', () => {
    const plan = planSuite(config, 'pr', 'gate.yml');
    const part = confirming(plan, [['edit@peak']]);
    expect(part.cells).toEqual([{ ...plan.cells[1], rounds: 6 }]);
    expect(part.rounds).toBe(6);
    expect(part.loadSeconds).toBeCloseTo((2 * plan.loadSeconds) / 3, 9);
  });

  it('measures a single cell before the others if it is a part of its own', () => {
    const plan = planSuite(config, 'pr', 'gate.yml');
    const names = plan.cells.map(cellName);
    const [first = '', ...others] = names.toReversed();
    const again = balanced(confirming(plan, [[first], others]));
    expect(again.cells.map(cellName)).toEqual(names);
    expect(partsOf(again).map((part) => part.map(cellName))).toEqual([[first], others.toReversed()]);
    expect(partsOf(confirming(plan, [names]))).toHaveLength(1);
  });

  it('takes no fewer rounds than the suite', () => {
    const plan = withRounds(planSuite(config, 'pr', 'gate.yml'), () => 8);
    expect(confirming(plan, [['edit@peak']]).rounds).toBe(8);
  });

  it('takes more rounds if that many are needed', () => {
    const plan = planSuite(config, 'pr', 'gate.yml');
    expect(confirming(plan, [['edit@peak']], 11).rounds).toBe(11);
    expect(confirming(plan, [['edit@peak']], 2).rounds).toBe(6);
  });
});

describe('balanced', () => {
  const plan = planSuite(config, 'pr', 'gate.yml');

  it.each([2, 3, 4, 7])(
    'lets each side go first as often, however many rounds are asked for: %i',
    (rounds) => {
      const even = balanced(withRounds(plan, () => rounds));
      for (const index of plan.cells.keys()) {
        const first = Array.from(
          { length: even.rounds },
          (_, round) => sideOrder(['base', 'head'], round, index)[0],
        );
        expect(first.filter((side) => side === 'base')).toHaveLength(even.rounds / 2);
      }
      expect(even.rounds - rounds).toBe(rounds % 2);
    },
  );

  it('expects the time of the round that it adds', () => {
    expect(balanced(withRounds(plan, () => 3)).loadSeconds).toBeCloseTo(
      (plan.loadSeconds / plan.rounds) * 4,
      9,
    );
  });
});

describe('sideOrder', () => {
  it('lets each side go first as often, in every cell and in every round', () => {
    const first = (round: number, cell: number) => sideOrder(['base', 'head'], round, cell)[0];
    expect([0, 1, 2, 3].map((round) => first(round, 0))).toEqual(['base', 'head', 'base', 'head']);
    expect([0, 1, 2, 3].map((cell) => first(1, cell))).toEqual(['head', 'base', 'head', 'base']);
    expect(sideOrder(['head'], 3, 0)).toEqual(['head']);
  });
});

describe('an unbroken suite', () => {
  const suites = (more: object) => ({ ...config.suites, ...more }) as typeof config.suites;
  const of = (cells: string[]) => {
    const suite = { cells, costs: [], rounds: 3, guard: 10, counted: 300, ramp: false, unbroken: true };
    return planSuite({ ...config, suites: suites({ long: suite }) }, 'long', 'gate.yml');
  };

  it('loads each cell once, for the time of all its blocks', () => {
    const plan = of(['browse@average', 'visit@steady']);
    expect(plan).toMatchObject({ unbroken: true, rounds: 3, loadSeconds: 2 * (10 + 3 * 300) });
    const [browse, visit] = plan.cells.map(asOneLoad);
    expect(browse).toMatchObject({ guardSeconds: 10, countedSeconds: 900, rounds: 1 });
    expect(browse?.stages.reduce((sum, { seconds }) => sum + seconds, 0)).toBeCloseTo(910.5);
    expect(visit?.arrival?.seconds).toBeCloseTo(910.5);
  });

  it('keeps the highest rate of a ramp for the time of all its blocks', () => {
    const suite = { cells: ['visit@rising'], costs: [], rounds: 3, guard: 10, counted: 300, ramp: true };
    const { visit } = config.scenarios;
    const steady = visit?.loads.steady ?? expect.fail('there is no such load');
    const rising = { ...steady, ramp: { start: 1, add: 1, every: 10 } };
    const scenarios = {
      ...config.scenarios,
      visit: { ...visit, loads: { rising } },
    } as typeof config.scenarios;
    const changed = { ...config, scenarios, suites: suites({ long: { ...suite, unbroken: true } }) };
    const [cell] = planSuite(changed, 'long', 'gate.yml').cells.map(asOneLoad);
    const { stages, seconds } = cell?.arrival ?? expect.fail('it is no open load');
    expect(stages?.reduce((sum, stage) => sum + stage.seconds, 0)).toBeCloseTo(seconds);
  });

  it('has blocks of their own where base and head are interleaved', () => {
    const plan = of(['browse@average']);
    expect(balanced(plan)).not.toHaveProperty('unbroken');
    expect(confirming(plan, [['browse@average']])).not.toHaveProperty('unbroken');
    expect(confirming(plan, [['browse@average']]).loadSeconds).toBe(6 * 310);
  });
});
