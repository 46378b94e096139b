import { drawNormal, type Random } from '../../stats/index.ts';

/** What a simulated machine and service do, none of it taken from what the judge expects. Sizes are natural logs. */
export interface World {
  readonly name: string;
  readonly title: string;
  /** The machine's speed: its standard deviation, and how much of it one block hands on to the next. */
  readonly speed: { readonly sd: number; readonly memory: number };
  /** A neighbour on the same core: how much slower it makes things, without taking CPU time, and its chances per block. */
  readonly neighbour: { readonly slower: number; readonly comes: number; readonly goes: number };
  /** What a boot adds to each cell on its own. */
  readonly boot: number;
  /** Scale of what a block adds to throughput and p95; normal, or Student's t with few degrees of freedom. */
  readonly block: { readonly tps: number; readonly p95: number; readonly df?: number };
  /** What head does to the CPU time of the generator at equal counts, up or down. */
  readonly movedYardstick: number;
  /** What a JVM that is only half warm adds in its first round, at most. Half of it is gone after each round. */
  readonly halfWarm: number;
  /** How far the mix of requests moves with the part of its pass that a block gets through, from slow to fast machine. */
  readonly mix: number;
}

const steady: Omit<World, 'name' | 'title'> = {
  speed: { sd: 0.05, memory: 0 },
  neighbour: { slower: 0, comes: 0, goes: 1 },
  boot: 0.01,
  block: { tps: 0.03, p95: 0.08 },
  movedYardstick: 0,
  halfWarm: 0,
  mix: 0,
};

const autocorrelated = { sd: 0.15, memory: 0.95 };
const neighbour = { slower: Math.log(1.35), comes: 0.04, goes: 0.1 };
const heavy = { tps: 0.03, p95: 0.08, df: 3 };

/** Each world adds one thing to a steady one, and the last has all of them. */
export const worlds: readonly World[] = [
  { ...steady, name: 'steady', title: 'steady machine' },
  { ...steady, name: 'speed', title: 'speed that drifts from block to block', speed: autocorrelated },
  { ...steady, name: 'steps', title: '35% steps without stolen CPU', neighbour },
  { ...steady, name: 'boots', title: 'boots that differ by 4% in each cell', boot: 0.04 },
  { ...steady, name: 'tails', title: 'blocks with heavy tails', block: heavy },
  { ...steady, name: 'yardstick', title: 'change that moves the yardstick by 8%', movedYardstick: 0.08 },
  { ...steady, name: 'half-warm', title: 'head half warm, up to 15%', halfWarm: 0.15 },
  { ...steady, name: 'mix', title: 'mix that follows the pass', speed: autocorrelated, mix: 0.3 },
  {
    ...steady,
    name: 'all',
    title: 'all of them',
    speed: autocorrelated,
    neighbour,
    boot: 0.04,
    block: heavy,
    movedYardstick: 0.08,
    halfWarm: 0.15,
    mix: 0.3,
  },
];

/** How the machine is from one block to the next. */
export class Machine {
  readonly #random: Random;
  readonly #world: World;
  #speed: number;
  #hasNeighbour: boolean;

  constructor(random: Random, world: World) {
    this.#random = random;
    this.#world = world;
    this.#speed = world.speed.sd * drawNormal(random);
    const { comes, goes } = world.neighbour;
    this.#hasNeighbour = random() < comes / (comes + goes);
  }

  /** How slow the machine is during the next block, as a log, and how slow its neighbour makes it. */
  next(): { readonly slow: number; readonly neighbour: number } {
    const { speed, neighbour } = this.#world;
    const fresh = Math.sqrt(1 - speed.memory ** 2) * speed.sd;
    this.#speed = speed.memory * this.#speed + fresh * drawNormal(this.#random);
    const changes = this.#random() < (this.#hasNeighbour ? neighbour.goes : neighbour.comes);
    if (changes) this.#hasNeighbour = !this.#hasNeighbour;
    return { slow: this.#speed, neighbour: this.#hasNeighbour ? neighbour.slower : 0 };
  }
}

/** A normal value, or Student's t with whole degrees of freedom: a normal value over the root of a mean of squares. */
export function drawStudent(random: Random, df?: number): number {
  const value = drawNormal(random);
  if (df === undefined) return value;
  let squares = 0;
  for (let one = 0; one < df; one++) squares += drawNormal(random) ** 2;
  return value / Math.sqrt(squares / df);
}
