import type { Builder, Dataquery } from '@grafana/grafana-foundation-sdk/cog';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';

export const prometheus = { type: 'prometheus', uid: '${prometheus}' };

/** @param legend a line's name, with labels as `{{uri}}` */
export function series(legend: string, expression: string, refId = 'A'): Builder<Dataquery> {
  return new DataqueryBuilder()
    .refId(refId)
    .datasource(prometheus)
    .expr(expression)
    .legendFormat(legend)
    .range();
}

/** Growth per second, over the time that Grafana knows to have enough scrapes. */
export const perSecond = (selector: string) => `rate(${selector}[$__rate_interval])`;
