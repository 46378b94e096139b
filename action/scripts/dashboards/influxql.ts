import type { Builder, Dataquery } from '@grafana/grafana-foundation-sdk/cog';

export const influxdb = { type: 'influxdb', uid: '${influxdb}' };

/** A query in InfluxQL as Grafana's data source keeps it. The SDK has no builder for this data source. */
interface InfluxQuery extends Dataquery {
  readonly refId: string;
  readonly datasource: typeof influxdb;
  readonly query: string;
  readonly rawQuery: true;
  readonly resultFormat: 'time_series' | 'table';
  readonly alias?: string;
}

/** An event on the time axis. Grafana's data source for InfluxDB adds these names to a query. */
interface AnnotationQuery extends Dataquery {
  readonly refId: string;
  readonly query: string;
  readonly queryType: 'tags';
  readonly fromAnnotations: true;
  readonly textEditor: true;
  readonly textColumn: string;
}

interface Selection {
  /** What follows SELECT. */
  readonly select: string;
  readonly from: string;
  /** Besides the time range. */
  readonly where: readonly string[];
  /** Tags. */
  readonly by?: readonly string[];
}

/** The names are quoted, because some of them are words of InfluxQL. */
export const field = (name: string, title = name) =>
  title === name ? `"${name}"` : `"${name}" AS "${title}"`;

/** Matches whatever is chosen for the variable, one value or several. */
export const chosen = (tag: string, variable = tag) => `"${tag}" =~ /^\${${variable}:regex}$/`;

function textOf({ select, from, where, by = [] }: Selection): string {
  const groups = by.length === 0 ? '' : ` GROUP BY ${by.map((tag) => `"${tag}"`).join(', ')}`;
  return `SELECT ${select} FROM "${from}" WHERE ${[...where, '$timeFilter'].join(' AND ')}${groups}`;
}

function built<Query extends Dataquery>(query: Omit<Query, keyof Dataquery>): Builder<Dataquery> {
  // The marker is a function, which JSON leaves out.
  return { build: () => ({ ...query, _implementsDataqueryVariant: () => undefined }) };
}

const common = (refId: string, selection: Selection) =>
  ({ refId, datasource: influxdb, query: textOf(selection), rawQuery: true }) as const;

/** @param alias a line's name, of `$tag_NAME` and of `$col`, the field */
export function lines(alias: string, selection: Selection, refId = 'A'): Builder<Dataquery> {
  return built<InfluxQuery>({ ...common(refId, selection), resultFormat: 'time_series', alias });
}

export function rows(selection: Selection, refId = 'A'): Builder<Dataquery> {
  return built<InfluxQuery>({ ...common(refId, selection), resultFormat: 'table' });
}

/** @param textColumn the field that is the event's text */
export function events(textColumn: string, selection: Selection): Builder<Dataquery> {
  return built<AnnotationQuery>({
    refId: 'annotationQuery',
    query: textOf(selection),
    queryType: 'tags',
    fromAnnotations: true,
    textEditor: true,
    textColumn,
  });
}
