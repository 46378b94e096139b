import type { Builder, Dataquery } from '@grafana/grafana-foundation-sdk/cog';
import type { DataSourceRef } from '@grafana/grafana-foundation-sdk/common';
import {
  GraphDrawStyle,
  LegendDisplayMode,
  LegendPlacement,
  SortOrder,
  StackingConfigBuilder,
  StackingMode,
  TooltipDisplayMode,
  VisibilityMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import { PanelBuilder as TablePanel } from '@grafana/grafana-foundation-sdk/table';
import { PanelBuilder as ChartPanel } from '@grafana/grafana-foundation-sdk/timeseries';

interface About {
  readonly title: string;
  /** What it shows and how to read it. */
  readonly description: string;
  readonly datasource: DataSourceRef;
  readonly queries: readonly Builder<Dataquery>[];
}

interface Chart extends About {
  /** Id of one of Grafana's units. */
  readonly unit: string;
}

/** A chart of lines over time, half as wide as the dashboard. */
export function chart({ title, description, datasource, queries, unit }: Chart): ChartPanel {
  return new ChartPanel()
    .title(title)
    .description(description)
    .datasource(datasource)
    .targets([...queries])
    .unit(unit)
    .span(12)
    .height(8)
    .drawStyle(GraphDrawStyle.Line)
    .lineWidth(1)
    .showPoints(VisibilityMode.Auto)
    .legend(
      new VizLegendOptionsBuilder()
        .displayMode(LegendDisplayMode.List)
        .placement(LegendPlacement.Bottom)
        .showLegend(true)
        .calcs([]),
    )
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending));
}

/** Areas on top of each other, for parts of a whole. */
export function stacked(panel: ChartPanel): ChartPanel {
  return panel.fillOpacity(30).stacking(new StackingConfigBuilder().mode(StackingMode.Normal));
}

interface Table extends About {
  /** Units of the columns, by name. */
  readonly units: Readonly<Record<string, string>>;
}

/** A table as wide as the dashboard. */
export function table({ title, description, datasource, queries, units }: Table): TablePanel {
  const panel = new TablePanel()
    .title(title)
    .description(description)
    .datasource(datasource)
    .targets([...queries])
    .unit('short')
    .span(24)
    .height(9);
  return Object.entries(units).reduce(
    (with_, [name, unit]) => with_.overrideByName(name, [{ id: 'unit', value: unit }]),
    panel,
  );
}

/** Rows of several queries that name the same things become one row each. */
export function joinedRows(panel: TablePanel, renamed: Readonly<Record<string, string>> = {}): TablePanel {
  return panel
    .withTransformation({
      id: 'organize',
      options: { excludeByName: { Time: true }, indexByName: {}, renameByName: renamed },
    })
    .withTransformation({ id: 'merge', options: {} });
}
