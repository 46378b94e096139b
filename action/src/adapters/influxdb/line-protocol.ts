import { Point as ClientPoint } from '@influxdata/influxdb-client';
import type { Point } from '../../model/point.ts';

/** The point as one line, with its time in milliseconds. */
export function lineOf({ measurement, tags, fields, timeMs }: Point): string {
  const point = new ClientPoint(measurement).timestamp(timeMs);
  for (const [name, value] of Object.entries(tags)) point.tag(name, value);
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'number') point.floatField(name, value);
    else if (typeof value === 'boolean') point.booleanField(name, value);
    else if (typeof value === 'string') point.stringField(name, value);
    else point.intField(name, value.count);
  }
  const line = point.toLineProtocol({ convertTime: String });
  if (line === undefined) throw new Error(`a point of ${measurement} has no fields`);
  return line;
}
