import type { JudgeOptions } from '../judge/index.ts';
import type { Plan } from '../measure/index.ts';
import type { Config } from '../model/config.ts';

/** What a verdict takes of the configuration. */
export function judgeOptions(config: Config, plan: Plan): JudgeOptions {
  return {
    tolerances: config.tolerances,
    floors: config.floors,
    signals: config.signals,
    cells: plan.cells.map(({ scenario, load, vus }) => ({
      scenario,
      load,
      vus,
      objectives: config.scenarios[scenario]?.loads[load]?.objectives ?? {},
    })),
  };
}
