import { judgeMeasurements, type Measurements } from '../judge/index.ts';
import type { Plan } from '../measure/index.ts';
import type { Config } from '../model/config.ts';
import type { Verdict } from '../model/verdict.ts';

/** The one place that turns measured runs into a verdict: the check and the publishing side both judge here. */
export function judgeSuite(
  config: Config,
  suite: Plan,
  measured: Measurements,
  { createdAt, seconds }: { readonly createdAt: Date; readonly seconds: number },
): Verdict {
  return judgeMeasurements(measured, {
    options: {
      tolerances: config.tolerances,
      floors: config.floors,
      signals: config.signals,
      cells: suite.cells.map(({ scenario, load, vus, costsAlone }) => ({
        scenario,
        load,
        vus,
        costsAlone,
        objectives: config.scenarios[scenario]?.loads[load]?.objectives ?? {},
      })),
    },
    createdAt: createdAt.toISOString(),
    seconds,
  });
}
