import type { Config } from '../model/config.ts';
import { Fault } from '../model/fault.ts';
import { cellName } from '../model/run.ts';
import { firstUser, type Timing, timingOf, usersOf } from './timing.ts';

export interface PlannedCell extends Timing {
  readonly scenario: string;
  readonly load: string;
  readonly vus: number;
  /** Relative to the configuration's folder. */
  readonly script: string;
  /** The script's variables. */
  readonly env: Readonly<Record<string, string>>;
  /** The script's function that virtual users run; absent for its default function, or if the script decides. */
  readonly exec?: string;
  /** Whether the script's thresholds are left out. */
  readonly ignoresThresholds?: true;
  /** Endpoints that need samples in every block; absent if the configuration names none. */
  readonly endpoints?: readonly string[];
  /** Blocks of the cell, in the first rounds of the plan. */
  readonly rounds: number;
  /** True if the cell is judged only by what can be counted. */
  readonly costsAlone: boolean;
}

/** A script as one scenario runs it. */
export type ScenarioScript = Pick<PlannedCell, 'script' | 'env' | 'exec'>;

export interface Plan {
  readonly suite: string;
  readonly cells: readonly PlannedCell[];
  /** Blocks of the cells that have the most. */
  readonly rounds: number;
  /** The cell that is measured in all its rounds before the others; absent if all share the rounds. */
  readonly first?: string;
  /** Present if the blocks of a cell are consecutive parts of one load. Only a side that is measured alone is loaded so. */
  readonly unbroken?: true;
  /** Expected seconds of all blocks, without starting and draining the generator. */
  readonly loadSeconds: number;
}

export interface PlanOptions {
  /** Multiplies every cell's virtual users, and the rate at which they arrive. */
  readonly vuFactor?: number;
}

/** Blocks of a cell that is judged only by what can be counted: what a cost needs, since the first round is unlike the others. */
const roundsForCosts = 2;

export function planSuite(config: Config, suiteName: string, place: string, options: PlanOptions = {}): Plan {
  const suite = entryOf(config.suites, suiteName);
  if (suite === undefined) {
    throw new Fault({
      code: 'E_SUITE_UNKNOWN',
      kind: 'usage',
      place,
      cause: `gate.yml defines no suite "${suiteName}"`,
      nextStep: `name one of: ${Object.keys(config.suites).join(', ')}`,
    });
  }
  const planned = (name: string, costsAlone: boolean): PlannedCell => {
    const [scenarioName = '', loadName = ''] = name.split('@');
    const scenario = entryOf(config.scenarios, scenarioName);
    const load = scenario === undefined ? undefined : entryOf(scenario.loads, loadName);
    if (scenario === undefined || load === undefined) {
      throw new Error(`the configuration's schema accepted an unknown cell: ${name}`);
    }
    const factor = options.vuFactor ?? 1;
    // Each generator starts its own part of the users of an open loop.
    const fewest = load.vus === undefined ? config.generators : 1;
    const vus = Math.max(fewest, Math.round(usersOf(load) * factor));
    return {
      scenario: scenarioName,
      load: loadName,
      vus,
      script: scenario.script,
      env: scenario.env,
      ...(scenario.exec === undefined ? {} : { exec: scenario.exec }),
      ...(scenario.thresholds === 'ignore' && { ignoresThresholds: true }),
      ...(scenario.endpoints === undefined ? {} : { endpoints: scenario.endpoints }),
      ...timingOf(load, vus, suite, factor),
      rounds: costsAlone ? roundsForCosts : suite.rounds,
      costsAlone,
    };
  };
  const cells = [
    ...suite.cells.map((name) => planned(name, false)),
    ...suite.costs.map((name) => planned(name, true)),
  ];
  return planOf(suiteName, cells, { unbroken: suite.unbroken });
}

/** Names come from users, and `constructor` is a property of every object but of no configuration. */
function entryOf<T>(entries: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(entries, name) ? entries[name] : undefined;
}

/** Expected seconds of one block, without starting and draining the generator. */
export function blockSeconds({ guardSeconds, countedSeconds }: PlannedCell): number {
  return guardSeconds + countedSeconds;
}

/** True if a block ends with its last pass instead of at a time. */
export function isUntilEnd({ arrival }: Timing): boolean {
  return arrival?.once !== undefined;
}

/** The seconds of one block if its passes take as long as they may. */
export function longestSeconds(cell: PlannedCell): number {
  return blockSeconds(cell) + (cell.arrival?.once?.capSeconds ?? 0);
}

function planOf(
  suite: string,
  cells: readonly PlannedCell[],
  {
    unbroken = false,
    first,
  }: { readonly unbroken?: boolean | undefined; readonly first?: string | undefined } = {},
): Plan {
  const loads = unbroken ? cells.map(asOneLoad) : cells;
  return {
    suite,
    cells,
    rounds: Math.max(0, ...cells.map(({ rounds }) => rounds)),
    ...(first !== undefined && { first }),
    ...(unbroken && { unbroken }),
    loadSeconds: loads.reduce((sum, cell) => sum + blockSeconds(cell) * cell.rounds, 0),
  };
}

/** The cell as one long block, which counts as long as all its blocks together. */
export function asOneLoad(cell: PlannedCell): PlannedCell {
  const moreSeconds = cell.countedSeconds * (cell.rounds - 1);
  const longer = <Part extends { readonly seconds: number }>(part: Part): Part => ({
    ...part,
    seconds: part.seconds + moreSeconds,
  });
  const lastLonger = <Part extends { readonly seconds: number }>(parts: readonly Part[]) =>
    parts.map((part, index) => (index === parts.length - 1 ? longer(part) : part));
  const { stages, arrival } = cell;
  return {
    ...cell,
    stages: lastLonger(stages),
    ...(arrival && {
      arrival: { ...longer(arrival), ...(arrival.stages && { stages: lastLonger(arrival.stages) }) },
    }),
    countedSeconds: cell.countedSeconds + moreSeconds,
    rounds: 1,
  };
}

/** The plan with another number of blocks per cell, each of which is a load of its own. */
export function withRounds({ suite, cells, first }: Plan, roundsOf: (cell: PlannedCell) => number): Plan {
  return planOf(
    suite,
    cells.map((cell) => ({ ...cell, rounds: roundsOf(cell) })),
    { first },
  );
}

/** The cells of the plan in the parts that are measured one after the other. */
export function partsOf({ cells, first }: Plan): readonly (readonly PlannedCell[])[] {
  if (first === undefined) return [cells];
  const isFirst = (cell: PlannedCell) => cellName(cell) === first;
  return [cells.filter(isFirst), cells.filter((cell) => !isFirst(cell))];
}

/**
 * Part of the load's time that may be spent on repeating disturbed blocks, or one round if that is longer. A fifth of the
 * blocks may then be disturbed.
 */
const repeatShare = 1 / 4;

/**
 * Seconds that one side may spend on repeating disturbed blocks and on waiting for a quiet machine. It suffices for one
 * block of each cell, because in a suite of two rounds every block counts.
 */
export function repeatSeconds({ loadSeconds, rounds }: Pick<Plan, 'loadSeconds' | 'rounds'>): number {
  return loadSeconds * Math.max(repeatShare, 1 / rounds);
}

/**
 * The order of one round. Every second round runs backwards, so that a drift affects all cells equally. Scenarios that only
 * count costs take no part in the warm-up, so their first blocks come before the timed ones, which need a warm JVM.
 */
export function roundOrder({ cells }: Pick<Plan, 'cells'>, round: number): readonly PlannedCell[] {
  const due = cells
    .filter(({ rounds }) => round < rounds)
    .sort((one, other) => Number(other.costsAlone) - Number(one.costsAlone));
  return round % 2 === 0 ? due : due.toReversed();
}

/**
 * The order of the sides for one cell of a round. It alternates with rounds and cells (ABBA), so that neither a drift
 * nor the previous block affects one side more.
 */
export function sideOrder<T>(sides: readonly T[], round: number, cellIndex: number): readonly T[] {
  return (round + cellIndex) % 2 === 0 ? sides : sides.toReversed();
}

/**
 * The plan with an even number of rounds. With an odd number, one side would go first once more than the other, and the
 * cost of going first would look like a difference between the sides.
 */
export function balanced(plan: Plan): Plan {
  return withRounds(plan, ({ rounds }) => rounds + (rounds % 2));
}

/** Rounds in which suspect cells are measured again, at least. */
const roundsAgain = 6;

/**
 * The plan for measuring the named cells again, in `atLeast` rounds or more. It may end early, once nothing is in doubt any
 * more. With two parts, the first is a single cell, after which the others may not be needed.
 */
export function confirming(plan: Plan, parts: readonly (readonly string[])[], atLeast = roundsAgain): Plan {
  const names = new Set(parts.flat());
  const cells = plan.cells
    .filter((cell) => names.has(cellName(cell)))
    .map((cell) => ({ ...cell, costsAlone: false }));
  const [first] = parts.length < 2 ? [] : parts.flat();
  const again = planOf(plan.suite, cells, { first });
  return withRounds(again, ({ rounds }) => Math.max(rounds, roundsAgain, atLeast));
}

/** The most virtual users of the cell's load, or the most passes that begin per second. */
export function users({ stages, arrival }: PlannedCell): number {
  return arrival?.perSecond ?? Math.max(...stages.map(({ vus }) => vus));
}

/** Seconds in which the users of a steady load start. */
const steadyRampSeconds = 2;

/** The highest load of the cell for that many seconds. */
export function steadyLoad(cell: PlannedCell, seconds: number): Pick<PlannedCell, 'stages' | 'arrival'> {
  if (cell.arrival !== undefined) {
    const { perSecond, vus } = cell.arrival;
    return { stages: [], arrival: { perSecond, vus, seconds } };
  }
  const vus = users(cell);
  const ramp = { seconds: steadyRampSeconds, vus };
  return { stages: [firstUser, ramp, { seconds: seconds - steadyRampSeconds, vus }] };
}

/** The scripts of the plan, without duplicates. */
export function scriptsOf(plan: Plan): readonly string[] {
  return [...new Set(plan.cells.map((cell) => cell.script))];
}

/** The plan's scenarios without duplicates, however many of their loads are in the plan. */
export function scenariosOf({ cells }: Pick<Plan, 'cells'>): readonly PlannedCell[] {
  return [...new Map(cells.map((cell) => [cell.scenario, cell])).values()];
}

/** The scenarios to warm up with. Counts do not depend on the JIT, so only timed cells need it. */
export function warmUpScenarios({ cells }: Plan): readonly ScenarioScript[] {
  return scenariosOf({ cells: cells.filter(({ costsAlone }) => !costsAlone) });
}
