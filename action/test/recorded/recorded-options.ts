import type { JudgeOptions } from '../../src/judge/options.ts';
import type { SignalConfig } from '../../src/model/config.ts';
import { metricNames, metrics, ratioMetricNames } from '../../src/model/metric.ts';
import { receivedSeries } from '../../src/model/signal-config.ts';
import { recordedRun } from './recorded-runs.ts';

function counted(from: SignalConfig['from'], floor: number): SignalConfig {
  const text = { title: '', series: [], unit: '', hint: '' };
  return { ...text, from, per: 'request', scale: 1, tolerance: 0.02, floor, gate: 'fail' };
}

/** The default limits, for the cells of the recorded runs, with the counted costs that they have. */
export const recordedOptions: JudgeOptions = {
  tolerances: Object.fromEntries(metricNames.map((name) => [name, metrics[name].tolerance.default])),
  floors: Object.fromEntries(
    ratioMetricNames.map((name) => [metrics[name].floor.setting, metrics[name].floor.default]),
  ),
  signals: {
    statements: counted('backing', 0.02),
    rowsRead: counted('backing', 0.05),
    rowsWritten: counted('backing', 0.02),
    redisCommands: counted('backing', 0.02),
    bytesReceived: { ...counted('generator', 10), series: [receivedSeries] },
  },
  cells: recordedRun('01-unchanged').cells.map(({ scenario, load, vus }) => ({
    scenario,
    load,
    vus,
    objectives: {},
  })),
};
