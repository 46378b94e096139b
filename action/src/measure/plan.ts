import { type Config, type LoadConfig, marginSeconds, type SuiteConfig } from '../model/config.ts';
import { Fault } from '../model/fault.ts';
import { cellName } from '../model/run.ts';
import type { LoadStage } from './ports.ts';

export interface PlannedCell {
  readonly scenario: string;
  readonly load: string;
  readonly vus: number;
  /** Relative to the configuration's folder. */
  readonly script: string;
  /** The script's variables. */
  readonly env: Readonly<Record<string, string>>;
  /** Endpoints that every block must have samples of; absent if the configuration names none. */
  readonly endpoints?: readonly string[];
  readonly stages: readonly LoadStage[];
  /** Length of the interval that is not counted, in seconds. */
  readonly guardSeconds: number;
  readonly countedSeconds: number;
}

/** A script as one scenario runs it. */
export type ScenarioScript = Pick<PlannedCell, 'script' | 'env'>;

export interface Plan {
  readonly suite: string;
  readonly cells: readonly PlannedCell[];
  readonly rounds: number;
  /** Expected seconds of all blocks, without starting and draining the generator. */
  readonly loadSeconds: number;
}

export interface PlanOptions {
  /** Multiplies every cell's virtual users. */
  readonly vuFactor?: number;
}

/**
 * The first virtual user comes at once. k6 would let it come when the ramp has risen by one, which for a single user is
 * the ramp's end: the counted interval, which begins with its first request, would outlive the load.
 */
const firstUser: LoadStage = { seconds: 0, vus: 1 };

/** Full load is reached within this part of the guard interval; the rest lets the queues settle. */
const rampShareOfGuard = 2 / 3;

export function planSuite(config: Config, suiteName: string, place: string, options: PlanOptions = {}): Plan {
  const suite = entryOf(config.suites, suiteName);
  if (suite === undefined) {
    throw new Fault({
      code: 'E_SUITE_UNKNOWN',
      kind: 'usage',
      place,
      cause: `there is no suite "${suiteName}"`,
      nextStep: `name one of: ${Object.keys(config.suites).join(', ')}`,
    });
  }
  const cells = suite.cells.map((name) => {
    const [scenarioName = '', loadName = ''] = name.split('@');
    const scenario = entryOf(config.scenarios, scenarioName);
    const load = scenario === undefined ? undefined : entryOf(scenario.loads, loadName);
    if (scenario === undefined || load === undefined) {
      throw new Error(`the configuration's schema let an unknown cell through: ${name}`);
    }
    const vus = Math.max(1, Math.round(load.vus * (options.vuFactor ?? 1)));
    const timing =
      load.profile === undefined
        ? suite.ramp
          ? staircase(load, vus, suite)
          : atOnce(vus, suite)
        : profile(load.profile, options.vuFactor ?? 1);
    return {
      scenario: scenarioName,
      load: loadName,
      vus,
      script: scenario.script,
      env: scenario.env,
      ...(scenario.endpoints === undefined ? {} : { endpoints: scenario.endpoints }),
      ...timing,
    };
  });
  return planOf(suiteName, cells, suite.rounds);
}

/** Names come from outside: `constructor` is in every object, and in no configuration. */
function entryOf<T>(entries: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(entries, name) ? entries[name] : undefined;
}

function planOf(suite: string, cells: readonly PlannedCell[], rounds: number): Plan {
  const seconds = cells.reduce((sum, cell) => sum + cell.guardSeconds + cell.countedSeconds, 0);
  return { suite, cells, rounds, loadSeconds: seconds * rounds };
}

/** The plan with nothing but the cells of these names. */
export function onlyCells(plan: Plan, names: readonly string[]): Plan {
  return planOf(
    plan.suite,
    plan.cells.filter((cell) => names.includes(cellName(cell))),
    plan.rounds,
  );
}

/**
 * The order of one round. Every second round runs backwards, so that a drift over the run weighs on
 * no cell more than on another.
 */
export function roundOrder(plan: Plan, round: number): readonly PlannedCell[] {
  return round % 2 === 0 ? plan.cells : plan.cells.toReversed();
}

/**
 * The order in which sides take a cell's blocks of a round: every round and every cell the other way round (ABBA), so
 * that neither a drift nor what goes before a block weighs on one side.
 */
export function turnOrder<T>(sides: readonly T[], round: number, cellIndex: number): readonly T[] {
  return (round + cellIndex) % 2 === 0 ? sides : sides.toReversed();
}

/**
 * The plan with an even number of rounds: with an odd one, one side would go first once more than the other, and what
 * going first costs would be taken for a difference of the sides.
 */
export function balanced(plan: Plan): Plan {
  return planOf(plan.suite, plan.cells, plan.rounds + (plan.rounds % 2));
}

/** Scripts of the plan, each once. */
export function scriptsOf(plan: Plan): readonly string[] {
  return [...new Set(plan.cells.map((cell) => cell.script))];
}

/** The plan's scenarios, each once, whatever number of its loads is in the plan. */
export function scenariosOf(plan: Plan): readonly ScenarioScript[] {
  const byName = new Map(plan.cells.map(({ scenario, script, env }) => [scenario, { script, env }]));
  return [...byName.values()];
}

type Timing = Pick<PlannedCell, 'stages' | 'guardSeconds' | 'countedSeconds'>;

function atOnce(vus: number, suite: SuiteConfig): Timing {
  const ramp = suite.guard * rampShareOfGuard;
  return {
    stages: [
      firstUser,
      { seconds: ramp, vus },
      { seconds: suite.guard - ramp + suite.counted + marginSeconds, vus },
    ],
    guardSeconds: suite.guard,
    countedSeconds: suite.counted,
  };
}

/** All of it is counted, the coming and the going too: how the service takes a wave is what is asked. */
function profile(parts: NonNullable<LoadConfig['profile']>, vuFactor: number): Timing {
  const stages = [
    firstUser,
    ...parts.map(({ vus, over }) => ({ seconds: over, vus: Math.round(vus * vuFactor) })),
  ];
  const seconds = stages.reduce((sum, stage) => sum + stage.seconds, 0);
  return { stages, guardSeconds: 0, countedSeconds: seconds - marginSeconds };
}

/** The staircase is not counted: its steps are other loads than the one that is judged. */
function staircase(load: LoadConfig, vus: number, suite: SuiteConfig): Timing {
  if (load.ramp === undefined) return atOnce(vus, suite);
  const stages: LoadStage[] = [];
  for (let target = load.ramp.start; target < vus; target += load.ramp.add) {
    stages.push({ seconds: 0, vus: target }, { seconds: load.ramp.every, vus: target });
  }
  const rampSeconds = stages.reduce((sum, stage) => sum + stage.seconds, 0);
  return {
    stages: [...stages, { seconds: 0, vus }, { seconds: suite.guard + suite.counted + marginSeconds, vus }],
    guardSeconds: rampSeconds + suite.guard,
    countedSeconds: suite.counted,
  };
}
