import type { SharedLoad } from '../../model/shared-load.ts';
import { formatCount, formatMs, formatMsFigure, formatShare, formatTps } from '../format/number.ts';
import { countOf } from '../format/phrase.ts';
import type { Finding } from './finding.ts';

const right = (title: string) => ({ title, align: 'right' }) as const;
const left = (title: string) => ({ title, align: 'left' }) as const;

/** The figures of a load that several generators sent, and what speaks against them. */
export function sharedLoadFinding(load: SharedLoad): Finding {
  const { plan, generators, endpoints, invalid } = load;
  const rate = plan.arrival === undefined ? '' : `, ${formatTps(plan.arrival.perSecond)} passes per second`;
  return {
    title: `Load ${plan.name}`,
    sentence: sentenceOf(load),
    state: invalid.length > 0 ? 'undecided' : 'unknown',
    because: invalid.slice(1).map(({ cause }) => `Also: ${cause}.`),
    tables: [
      {
        title: 'Generators',
        columns: [left('name'), left('node'), right('requests'), right('failed'), left('began'), left('end')],
        rows: generators.map(({ name, node, requests, failed, end, startedAt }) => ({
          cells: [
            name,
            node ?? '',
            formatCount(requests),
            formatCount(failed),
            startedAt ?? '',
            end === 'finished' ? end : 'failed',
          ],
          ...(end !== 'finished' && { state: 'bad' as const }),
        })),
        note: 'Requests of the whole load, with the seconds that are not counted.',
      },
      {
        title: 'Endpoints',
        columns: [left('name'), ...['requests', 'errors', 'mean ms', 'p50', 'p95', 'p99'].map(right)],
        rows: endpoints.map(({ name, requests, errors, latency }) => ({
          cells: [
            name,
            formatCount(requests),
            formatCount(errors),
            ...[latency.meanMs, latency.p50Ms, latency.p95Ms, latency.p99Ms].map(formatMsFigure),
          ],
        })),
      },
    ],
    charts: [],
    facts: [
      {
        label: 'load',
        text: `${plan.cell}, ${countOf(plan.vus, 'virtual user')}${rate}, ${plan.countedSeconds} s after ${plan.guardSeconds} s that are not counted, by k6 ${plan.k6}, on ${plan.service}`,
      },
    ],
    nextSteps: invalid.slice(0, 1).map(({ nextStep }) => nextStep),
  };
}

function sentenceOf({ generators, requests, errors, tps, latency, invalid }: SharedLoad): string {
  const [reason] = invalid;
  if (reason !== undefined) return `the figures cannot be trusted: ${reason.cause}.`;
  return `${countOf(generators.length, 'generator')} got ${formatTps(tps)} answers per second, p95 was ${formatMs(latency.p95Ms)}, and ${formatShare(errors / requests)} of the ${formatCount(requests)} requests failed.`;
}
