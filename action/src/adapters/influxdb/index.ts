export { type InfluxdbTarget, influxdbTarget, openInfluxdb, secretVariables } from './target.ts';
export { writePoints } from './writer.ts';
