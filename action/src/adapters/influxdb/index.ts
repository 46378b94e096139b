export { type InfluxdbTarget, influxdbTarget, openInfluxdb, secretVariables } from './target.ts';
export { type InfluxdbMeans, writePoints } from './writer.ts';
