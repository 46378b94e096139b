import type { Dashboard, Panel, RowPanel } from '@grafana/grafana-foundation-sdk/dashboard';

/** A query as a dashboard keeps it, with its variables. */
export interface PanelQuery {
  /** The panel's title, or the annotation's name. */
  readonly title: string;
  readonly kind: 'influxdb' | 'prometheus';
  readonly text: string;
  /** Id of one of Grafana's units; undefined for events. */
  readonly unit: string | undefined;
}

interface Target {
  readonly query?: string;
  readonly expr?: string;
}

interface Variable {
  readonly name: string;
  readonly query: string;
  readonly multi: boolean;
}

/** What is chosen for each variable. */
export type Chosen = ReadonlyMap<string, readonly string[]>;

function queryOf(title: string, target: Target, unit: string | undefined): PanelQuery {
  const { expr, query = '' } = target;
  return expr === undefined
    ? { title, kind: 'influxdb', text: query, unit }
    : { title, kind: 'prometheus', text: expr, unit };
}

const isPanel = (panel: Panel | RowPanel): panel is Panel => panel.type !== 'row';

/** Every query of every panel and of every annotation. */
export function panelQueries({ panels = [], annotations }: Dashboard): readonly PanelQuery[] {
  return [
    ...panels
      .filter(isPanel)
      .flatMap(({ title = '', targets = [], fieldConfig }) =>
        targets.map((target) => queryOf(title, target as Target, fieldConfig?.defaults.unit)),
      ),
    ...(annotations?.list ?? []).map(({ name, target }) => queryOf(name, target as Target, undefined)),
  ];
}

/** The variables that ask a data source for their values, in the order in which they depend on each other. */
export function queriedVariables({ templating }: Dashboard): readonly Variable[] {
  return (templating?.list ?? [])
    .filter(({ type }) => type === 'query')
    .map(({ name, query, multi }) => ({ name, query: String(query), multi: multi === true }));
}

const escaped = (text: string) => text.replace(/[-/\\^$*+?.()|[\]{}]/g, '\\$&');

/** The text with what Grafana puts in for variables. `timeFilter` bounds InfluxQL, `rateInterval` is a range of PromQL. */
export function filled(text: string, chosen: Chosen, timeFilter: string, rateInterval = '1m'): string {
  const values = (name: string) => chosen.get(name) ?? [];
  return text
    .replaceAll('$timeFilter', timeFilter)
    .replaceAll('$__rate_interval', rateInterval)
    .replace(/\$\{(\w+):regex\}/g, (_, name: string) => {
      const [first = '', ...more] = values(name).map(escaped);
      return more.length === 0 ? first : `(${[first, ...more].join('|')})`;
    })
    .replace(/\$(\w+)/g, (whole, name: string) => values(name)[0] ?? whole);
}
