import { influxdbTarget } from '../adapters/influxdb/index.ts';
import type { BootedService } from '../measure/index.ts';
import { keptRecords } from './kept-results.ts';
import { writeOutputs } from './outputs.ts';
import type { Settings } from './settings.ts';

/** The service of the compose file that the dashboards read, and its database. */
const service = 'influxdb';
const database = 'perf';

/** Writes the finished checks of this checkout to the InfluxDB that runs next to the service, if one does. */
export async function fillDashboards(
  { addresses = {} }: BootedService,
  gate: string,
  settings: Settings,
  note: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const url = addresses[service];
  if (url === undefined) return;
  const targets = [influxdbTarget({ url, database }, service)];
  const warnings: string[] = [];
  const listener = { note: () => undefined, warn: (text: string) => warnings.push(text) };
  let checks = 0;
  for await (const record of keptRecords(settings)) {
    await writeOutputs({ gate, targets }, record, listener, signal);
    if (warnings.length > 0) break;
    checks += 1;
  }
  note(`wrote ${checks} finished checks to ${url}`);
  for (const text of warnings) note(`warning: ${text}`);
}
