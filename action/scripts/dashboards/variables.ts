import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import {
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  type VariableModel,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { chosen, influxdb } from './influxql.ts';

/** The data source to read, so that a dashboard also works in a Grafana that others set up. */
export const datasource = (type: 'influxdb' | 'prometheus', label: string): Builder<VariableModel> =>
  new DatasourceVariableBuilder(type).type(type).label(label);

interface Choice {
  readonly name: string;
  readonly label: string;
  readonly query: string;
  /** Whether several may be chosen; all are at first. */
  readonly several?: true;
  readonly newestFirst?: true;
}

function choice({ name, label, query, several, newestFirst }: Choice): QueryVariableBuilder {
  const variable = new QueryVariableBuilder(name)
    .label(label)
    .datasource(influxdb)
    .query(query)
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(newestFirst ? VariableSort.AlphabeticalDesc : VariableSort.AlphabeticalAsc);
  return several
    ? variable
        .multi(true)
        .includeAll(true)
        .current({ selected: true, text: ['All'], value: ['$__all'] })
    : variable;
}

const tagValues = (measurement: string, tag: string, ...where: readonly string[]) =>
  `SHOW TAG VALUES FROM "${measurement}" WITH KEY = "${tag}"${where.length === 0 ? '' : ` WHERE ${where.join(' AND ')}`}`;

const ofSuite = [chosen('gate'), chosen('suite')];

export const gate = choice({ name: 'gate', label: 'Service', query: tagValues('gate_runs', 'gate') });

export const suite = choice({
  name: 'suite',
  label: 'Suite',
  query: tagValues('gate_runs', 'suite', chosen('gate')),
});

/** Scenario and load of what a measurement has points of. */
export const cells = (measurement: string) => [
  choice({
    name: 'scenario',
    label: 'Scenario',
    query: tagValues(measurement, 'scenario', ...ofSuite),
    several: true,
  }),
  choice({ name: 'load', label: 'Load', query: tagValues(measurement, 'load', ...ofSuite), several: true }),
];

/** One scenario and one load, for panels that would be too crowded with all cells. */
export const oneCell = (measurement: string) => [
  choice({
    name: 'one_scenario',
    label: 'Details of',
    query: tagValues(measurement, 'scenario', ...ofSuite),
  }),
  choice({
    name: 'one_load',
    label: 'at',
    query: tagValues(measurement, 'load', ...ofSuite, chosen('scenario', 'one_scenario')),
  }),
];
export const ofOneCell = [chosen('scenario', 'one_scenario'), chosen('load', 'one_load')];

/** Ids of runs begin with their time. A field has no list of its values, so the runs of the time range are asked for. */
export const run = (name: string, label: string) =>
  choice({
    name,
    label,
    query: `SELECT DISTINCT("run") FROM "gate_runs" WHERE ${[...ofSuite, '$timeFilter'].join(' AND ')}`,
    newestFirst: true,
  });

export const branch = choice({
  name: 'branch',
  label: 'Branch',
  query: `SELECT DISTINCT("branch") FROM "gate_runs" WHERE ${[...ofSuite, '$timeFilter'].join(' AND ')}`,
});

/** Signals of one unit, to repeat a panel over. */
export const signals = (name: string, label: string, unit: string) =>
  choice({
    name,
    label,
    query: tagValues('gate_costs', 'signal', ...ofSuite, `"unit" = '${unit}'`),
    several: true,
  });
