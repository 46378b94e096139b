import type { DashboardBuilder } from '@grafana/grafana-foundation-sdk/dashboard';
import { compareDashboard } from './compare.ts';
import { costsDashboard } from './costs.ts';
import { runDashboard } from './run.ts';
import { ticketingDashboard } from './ticketing.ts';
import { trendDashboard } from './trend.ts';

/** The dashboards by the names of their files. */
export const dashboards: Readonly<Record<string, DashboardBuilder>> = {
  run: runDashboard,
  trend: trendDashboard,
  compare: compareDashboard,
  costs: costsDashboard,
  ticketing: ticketingDashboard,
};
