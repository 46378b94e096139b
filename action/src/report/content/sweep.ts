import type { Sweep, SweptVariant } from '../../model/sweep.ts';
import { variantText } from '../../model/sweep.ts';
import { formatMsFigure, formatShare, formatTps } from '../format/number.ts';
import { capitalised, countOf, namesText } from '../format/phrase.ts';
import type { FixedChart } from '../pictures/fixed-chart.ts';
import { type Finding, type FindingTable, identityFacts } from './finding.ts';

/** Above this share of all CPU in use, CPU is the limit, as in a staircase. */
const busyCpu = 0.88;
const mostListed = 10;

const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** `-12.3%`; 0 has no sign. */
function percentOf(value: number): string {
  return `${value > 0 ? '+' : ''}${(100 * value).toFixed(1)}%`;
}

/** The value alone if only one variable was swept. */
function shortText({ values }: SweptVariant): string {
  const [value = '', ...others] = Object.values(values);
  return others.length === 0 ? value : variantText(values);
}

/** A sweep in words, a table and a chart. */
export function sweepFinding(sweep: Sweep): Finding {
  const { cell, variants, partial, tolerance } = sweep;
  const names = namesText(Object.keys(variants[0]?.values ?? {}));
  return {
    title: `Sweep of ${names} with ${cell}`,
    sentence: sentenceOf(sweep, names),
    state: partial === undefined ? 'unknown' : 'undecided',
    because: [
      ...(partial === undefined ? [] : [`Not all values were measured: ${partial}.`]),
      ...variants
        .filter(({ ended }) => ended !== undefined)
        .map((one) => `${variantText(one.values)}: ${one.ended}.`),
    ],
    tables: [tableOf(sweep)],
    charts: [chartOf(sweep)],
    facts: [
      ...identityFacts(sweep),
      {
        label: 'boots',
        text: `${countOf(
          variants.reduce((sum, { boots }) => sum + boots.length, 0),
          'boot',
        )}, every second pass backwards, from ${sweep.startedAt}; as good means at most ${formatShare(tolerance)} worse`,
      },
    ],
    nextSteps: [],
  };
}

function sentenceOf({ variants, best, differs, tolerance }: Sweep, names: string): string {
  const found = best === undefined ? undefined : variants[best];
  if (found === undefined) return 'too few boots to compare values.';
  const used = meanOf(variants.flatMap(({ boots }) => boots.map(({ usedCpu }) => usedCpu)));
  if (!differs) {
    const why =
      used >= busyCpu
        ? `CPU is the limit, with ${formatShare(used)} in use`
        : `CPU was used to ${formatShare(used)}`;
    return `${names} has no effect that shows: ${why}.`;
  }
  const figures = `${formatTps(meanOf(found.boots.map(({ tps }) => tps)))} requests per second`;
  const asGood = variants.filter(({ contrast }, index) => index !== best && contrast?.asGood);
  const others =
    asGood.length === 0
      ? ` Every other value is worse by more than ${formatShare(tolerance)}.`
      : ` Not proved to be worse by ${formatShare(tolerance)}: ${namesText(asGood.slice(0, mostListed).map(shortText))}.`;
  return `${shortText(found)} is best, with ${figures}.${others}`;
}

function tableOf({ variants, best, figure }: Sweep): FindingTable {
  const right = (title: string, optional = false) => ({ title, align: 'right', optional }) as const;
  const mean = (
    one: SweptVariant,
    read: (boot: SweptVariant['boots'][number]) => number,
    say: (value: number) => string,
  ) => (one.boots.length === 0 ? '' : say(meanOf(one.boots.map(read))));
  return {
    title: 'Values',
    columns: [
      { title: 'value', align: 'left' },
      right('requests/s'),
      right('p95 ms'),
      right('to the best [95%]'),
      right('errors'),
      right('CPU', true),
      right('boots', true),
      { title: '', align: 'left' },
    ],
    rows: variants.map((one, index) => ({
      cells: [
        shortText(one),
        mean(one, ({ tps }) => tps, formatTps),
        mean(one, ({ p95Ms }) => p95Ms, formatMsFigure),
        one.contrast === undefined || index === best
          ? ''
          : `${percentOf(one.contrast.change)} [${percentOf(one.contrast.low)}, ${percentOf(one.contrast.high)}]`,
        mean(one, ({ errorRate }) => errorRate, formatShare),
        mean(one, ({ usedCpu }) => usedCpu, formatShare),
        String(one.boots.length),
        index === best
          ? 'best'
          : one.contrast?.asGood
            ? 'as good'
            : one.ended === undefined
              ? ''
              : 'left out',
      ],
      ...(index === best && { state: 'best' as const }),
    })),
    note: `Values are compared by ${figure === 'tps' ? 'throughput' : 'p95, since the load has a fixed rate'}. The intervals hold for all pairs at once. CPU is the share of all CPU in use.`,
  };
}

function chartOf({ variants, figure, cell }: Sweep): FixedChart {
  const read = (boot: SweptVariant['boots'][number]) => (figure === 'tps' ? boot.tps : boot.p95Ms);
  const say = figure === 'tps' ? formatTps : formatMsFigure;
  const measured = variants.flatMap((one, x) => (one.boots.length === 0 ? [] : [{ one, x }]));
  return {
    title: capitalised(`${figure === 'tps' ? 'requests per second' : 'p95 in ms'} of ${cell} by value`),
    xTicks: variants.map((one, x) => ({ x, text: shortText(one).slice(0, 12) })),
    xRange: [-0.5, variants.length - 0.5],
    y: say,
    yScale: 'linear',
    lines: [
      {
        name: 'mean of the boots',
        className: 'head',
        joined: true,
        marked: false,
        points: measured.map(({ one, x }) => {
          const y = meanOf(one.boots.map(read));
          return { x, y, text: `${variantText(one.values)}: ${say(y)}` };
        }),
      },
      {
        name: 'one boot',
        className: 'base',
        joined: false,
        marked: true,
        points: measured.flatMap(({ one, x }) =>
          one.boots.map((boot) => ({
            x,
            y: read(boot),
            text: `${variantText(one.values)}: ${say(read(boot))}`,
          })),
        ),
      },
    ],
  };
}
