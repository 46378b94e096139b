import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import {
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkType,
  type VariableModel,
} from '@grafana/grafana-foundation-sdk/dashboard';

const tag = 'perf-gate';

export const idOf = (name: string) => `perf-gate-${name}`;

interface Page {
  /** As in the file's name and in addresses. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Start of the time range at first, such as `now-6h`. */
  readonly from: string;
  readonly variables: readonly Builder<VariableModel>[];
}

/** A dashboard without panels, which links to the others. */
export function page({ name, title, description, from, variables }: Page): DashboardBuilder {
  return new DashboardBuilder(`perf-gate / ${title}`)
    .uid(idOf(name))
    .description(description)
    .tags([tag])
    .readonly()
    .timezone('browser')
    .time({ from, to: 'now' })
    .tooltip(DashboardCursorSync.Crosshair)
    .variables([...variables])
    .link(
      new DashboardLinkBuilder('perf-gate')
        .type(DashboardLinkType.Dashboards)
        .tags([tag])
        .includeVars(true)
        .keepTime(true),
    );
}
