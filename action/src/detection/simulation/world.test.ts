import { mean } from 'simple-statistics';
import { describe, expect, it } from 'vitest';
import { runSchema } from '../../model/run.ts';
import { createRandom } from '../../stats/index.ts';
import { simulatedCells, simulatedTrial } from './simulated-trial.ts';
import { drawStudent, Machine, type World, worlds } from './world.ts';

function worldOf(name: string): World {
  const world = worlds.find((one) => one.name === name);
  if (world === undefined) throw new Error(`there is no world ${name}`);
  return world;
}

function correlation(values: readonly number[]): number {
  const centre = mean([...values]);
  const off = values.map((value) => value - centre);
  const sum = (lag: number) => off.slice(lag).reduce((total, value, at) => total + value * (off[at] ?? 0), 0);
  return sum(1) / sum(0);
}

describe('a simulated machine', () => {
  it('drifts from block to block where its speed has a memory', () => {
    const speeds = (name: string) => {
      const machine = new Machine(createRandom(1), worldOf(name));
      return Array.from({ length: 5000 }, () => machine.next().slow);
    };
    expect(correlation(speeds('speed'))).toBeGreaterThan(0.9);
    expect(Math.abs(correlation(speeds('steady')))).toBeLessThan(0.05);
    expect(mean(speeds('speed').map((slow) => slow ** 2))).toBeCloseTo(0.15 ** 2, 2);
  });

  it('has a neighbour for stretches of blocks, and 35% at once', () => {
    const machine = new Machine(createRandom(1), worldOf('steps'));
    const neighbours = Array.from({ length: 5000 }, () => machine.next().neighbour);
    expect(new Set(neighbours)).toEqual(new Set([0, Math.log(1.35)]));
    expect(mean(neighbours.map((one) => Math.sign(one)))).toBeCloseTo(0.04 / 0.14, 1);
    expect(correlation(neighbours)).toBeGreaterThan(0.7);
  });

  it('draws heavy tails with few degrees of freedom', () => {
    const beyond = (df?: number) => {
      const random = createRandom(1);
      return mean(Array.from({ length: 20_000 }, () => Number(Math.abs(drawStudent(random, df)) > 4)));
    };
    expect(beyond()).toBeLessThan(0.0005);
    // Student's t with 3 degrees of freedom exceeds 4 on either side in 2.8% of cases.
    expect(beyond(3)).toBeCloseTo(0.028, 2);
  });
});

describe('a simulated trial', () => {
  const draw = (name: string, seed: number, effect?: Parameters<typeof simulatedTrial>[2]) =>
    simulatedTrial(createRandom(seed), worldOf(name), effect, [1]);

  it.each(worlds.map(({ name }) => name))('of world %s is made of runs', (name) => {
    const { history, head, beside, again } = draw(name, 1);
    for (const run of [...history, head, beside.base, beside.head, again.base, again.head]) {
      expect(() => runSchema.parse(run)).not.toThrow();
      expect(run.cells.map(({ scenario, load }) => `${scenario}@${load}`)).toEqual(simulatedCells);
    }
  });

  it('has the effect in all heads, in the given cell only', () => {
    const [plain, changed] = [draw('steady', 2), draw('steady', 2, { kind: 'cpu', size: 0.1 })];
    const level = ({ cells }: typeof plain.head, cell: number) => cells[cell]?.blocks[0]?.tps ?? 0;
    expect(level(plain.head, 1) / level(changed.head, 1)).toBeCloseTo(1.1, 6);
    expect(level(changed.head, 0)).toBe(level(plain.head, 0));
    expect(changed.history).toEqual(plain.history);
    expect(level(plain.beside.head, 1) / level(changed.beside.head, 1)).toBeCloseTo(1.1, 6);
  });

  it('moves the yardstick the same way in each boot of head', () => {
    const generator = ({ cells }: ReturnType<typeof draw>['head']) =>
      mean(
        cells.flatMap(({ blocks }) =>
          blocks.map(({ usage, tps }) => Math.log((usage.generator?.cpuShare ?? 0) / tps)),
        ),
      );
    const moves = Array.from({ length: 20 }, (_, seed) => {
      const { beside, again } = draw('yardstick', seed);
      return [beside, again].map(({ base, head }) => Math.sign(generator(head) - generator(base)));
    });
    expect(moves.filter(([first, second]) => first === second).length).toBeGreaterThanOrEqual(19);
    expect(new Set(moves.map(([first]) => first)).size).toBe(2);
  });

  it('starts half warm, and only head does', () => {
    const firstToLast = (run: ReturnType<typeof draw>['head']) =>
      mean(run.cells.map(({ blocks }) => Math.log((blocks.at(-1)?.tps ?? 1) / (blocks[0]?.tps ?? 1))));
    const trials = Array.from({ length: 60 }, (_, seed) => draw('half-warm', seed));
    expect(mean(trials.map(({ head }) => firstToLast(head)))).toBeGreaterThan(0.03);
    expect(Math.abs(mean(trials.flatMap(({ history }) => history.map(firstToLast))))).toBeLessThan(0.02);
  });
});
