import {
  type FirstJudged,
  type JudgeContext,
  judgeFirst,
  judgeMeasurements,
  type Measurements,
} from '../judge/index.ts';
import type { Plan } from '../measure/index.ts';
import type { Config } from '../model/config.ts';
import { cellName, type Run } from '../model/run.ts';
import { shownSignals } from '../model/signal-config.ts';
import type { Verdict } from '../model/verdict.ts';

interface JudgingContext {
  readonly createdAt: Date;
  /** Wall time of the check so far. */
  readonly seconds: number;
  /** All as in the judge's options. */
  readonly storedStands?: boolean;
  readonly anySpeed?: boolean;
  readonly skipsEndpoints?: boolean;
}

/**
 * The suite for a run that was to measure some of its cells, such as one scenario's: the others are not missing. All of them
 * if it has none, as a run that ended in its warm-up.
 */
export function suiteOfRun(suite: Plan, run: Run): Plan {
  const measured = new Set(run.cells.map(cellName));
  const cells = suite.cells.filter((cell) => measured.has(cellName(cell)));
  return cells.length === 0 ? suite : { ...suite, cells };
}

function signalNames({ run }: Measurements): readonly string[] {
  return run.cells.flatMap(({ blocks }) => blocks.flatMap(({ signals }) => Object.keys(signals)));
}

/** The one place that turns measured runs into a verdict: the check and the publishing side both judge here. */
export function judgeSuite(
  config: Config,
  suite: Plan,
  measured: Measurements,
  context: JudgingContext,
): Verdict {
  return judgeMeasurements(measured, judgeContext(config, suite, measured, context));
}

/** As `judgeSuite`, for a first measurement whose second one is asked for a verdict several times. */
export function judgeFirstOfSuite(
  config: Config,
  suite: Plan,
  first: Measurements,
  context: JudgingContext,
): FirstJudged {
  return judgeFirst(first, judgeContext(config, suite, first, context));
}

function judgeContext(
  config: Config,
  suite: Plan,
  measured: Measurements,
  { createdAt, seconds, storedStands = false, anySpeed = false, skipsEndpoints = false }: JudgingContext,
): JudgeContext {
  const gatesAll = config.suites[suite.suite]?.objectives?.gate === true;
  return {
    options: {
      tolerances: config.tolerances,
      floors: config.floors,
      // Names from a stranger's report are not shown.
      signals: storedStands ? config.signals : { ...shownSignals(signalNames(measured)), ...config.signals },
      storedStands,
      anySpeed,
      skipsEndpoints,
      waivers: config.waivers,
      cells: suite.cells.map(({ scenario, load, vus, costsAlone }) => ({
        scenario,
        load,
        vus,
        costsAlone,
        judgesThresholds: config.scenarios[scenario]?.thresholds === 'judge',
        objectives: {
          ...config.scenarios[scenario]?.loads[load]?.objectives,
          ...(gatesAll && { gate: true }),
        },
      })),
    },
    createdAt: createdAt.toISOString(),
    seconds,
  };
}
