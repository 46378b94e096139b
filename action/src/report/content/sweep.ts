import { busyCpuShare } from '../../model/experiment.ts';
import type { Sweep, SweepBoot, SweptVariant } from '../../model/sweep.ts';
import { sweptNames, toleratedLoss, variantText } from '../../model/sweep.ts';
import { formatMsFigure, formatShare, formatTps } from '../format/number.ts';
import { capitalised, countOf, namesText } from '../format/phrase.ts';
import type { FixedChart } from '../pictures/fixed-chart.ts';
import { type Finding, type FindingTable, identityFacts } from './finding.ts';
import { scalingSentence } from './scaling.ts';

const mostListed = 10;
/** A limit of cores is used up from this share of it on. */
const usedUpShare = 0.85;
/** Longer names of values end up on top of each other below the chart. */
const longestTick = 12;

const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** `-12.3%`; 0 has no sign. */
function percentOf(value: number): string {
  return `${value > 0 ? '+' : ''}${(100 * value).toFixed(1)}%`;
}

/** The value alone if only one variable was swept. */
function shortText({ values }: SweptVariant, names: readonly string[]): string {
  const [name = ''] = names;
  return (names.length === 1 ? values[name] : undefined) ?? variantText(values, names);
}

/** A sweep in words, a table and a chart. */
export function sweepFinding(sweep: Sweep): Finding {
  const { cell, variants, partial, tolerance } = sweep;
  const names = sweptNames(variants.map(({ values }) => values));
  const boots = variants.reduce((sum, one) => sum + one.boots.length, 0);
  return {
    title: `Sweep of ${namesText(names)} with ${cell}`,
    sentence: sentenceOf(sweep, names),
    state: partial === undefined ? 'unknown' : 'undecided',
    because: [
      ...(partial === undefined ? [] : [`Not all values were measured to the end: ${partial}.`]),
      ...variants.flatMap((one) =>
        one.ended === undefined ? [] : [`${variantText(one.values, names)}: ${one.ended}.`],
      ),
    ],
    tables: [tableOf(sweep, names)],
    charts: [chartOf(sweep, names)],
    facts: [
      ...identityFacts(sweep),
      {
        label: 'boots',
        text: `${countOf(boots, 'boot')}, every second pass backwards, from ${sweep.startedAt}; tolerance ${formatShare(tolerance)}`,
      },
    ],
    nextSteps: [],
  };
}

function sentenceOf(sweep: Sweep, names: readonly string[]): string {
  const { variants, best, differs, tolerance, figure } = sweep;
  const found = best === undefined ? undefined : variants[best];
  if (found === undefined) return 'too few boots to compare values.';
  const scaling = scalingSentence(sweep, names);
  if (scaling !== undefined) return `${scaling}${leftOutText(variants)}`;
  if (!differs) return `${noEffect(sweep, names)}${leftOutText(variants)}`;
  const figures =
    figure === 'tps'
      ? `${formatTps(meanOf(found.boots.map(({ tps }) => tps)))} requests per second`
      : `a p95 of ${formatMsFigure(meanOf(found.boots.map(({ p95Ms }) => p95Ms)))} ms`;
  const compared = variants.filter(({ contrast }, index) => index !== best && contrast !== undefined);
  const asGood = compared.filter(({ contrast }) => contrast?.asGood);
  const listed = namesText(asGood.slice(0, mostListed).map((one) => shortText(one, names)));
  const worse =
    compared.length === 0
      ? ' No other value was measured to the end.'
      : ` Every other value that was compared is worse by more than ${formatShare(tolerance)}.`;
  const others =
    asGood.length === 0
      ? worse
      : ` Not proved to be worse by more than ${formatShare(tolerance)}: ${listed}.`;
  return `${shortText(found, names)} is best, with ${figures}.${others}${leftOutText(variants)}`;
}

/** Whether the service reads a variable cannot be known, only that nothing followed from it. */
function noEffect(sweep: Sweep, names: readonly string[]): string {
  const { variants } = sweep;
  const widths = variants.flatMap(({ contrast }) =>
    contrast === undefined ? [] : [contrast.high - contrast.low],
  );
  const visible = Math.max(...widths) / 2;
  return `no effect was found; an effect has to be larger than ${percentOf(visible).replace('+', '')} to be beyond chance. ${whyNoEffect(sweep, names)}`;
}

function whyNoEffect({ variants, figure, cpus, machine }: Sweep, names: readonly string[]): string {
  const boots = variants.flatMap((one) => one.boots);
  const used = meanOf(boots.map(({ usedCpu }) => usedCpu));
  if (used >= busyCpuShare) return `CPU is the limit, with ${formatShare(used)} in use.`;
  const cores = machine.cpuCount * meanOf(boots.map(({ serviceCpu }) => serviceCpu));
  if (cpus !== undefined && cores >= usedUpShare * cpus) {
    return `CPU is the limit: the service used ${cores.toFixed(1)} of the ${cpus} cores that it may use.`;
  }
  const unread = `nothing reads ${names.length === 1 ? 'it' : 'them'}`;
  return figure === 'p95'
    ? `${formatShare(used)} of all CPU was in use. At the load's fixed rate it may not matter, or ${unread}.`
    : `Only ${formatShare(used)} of all CPU was in use, so something else is the limit, or ${unread}.`;
}

function leftOutText(variants: readonly SweptVariant[]): string {
  const failed = variants.filter(({ ended, hopeless }) => ended !== undefined && !hopeless).length;
  return failed === 0 ? '' : ` ${countOf(failed, 'value')} could not be measured.`;
}

function meanText(
  { boots }: SweptVariant,
  read: (boot: SweepBoot) => number,
  say: (value: number) => string,
): string {
  return boots.length === 0 ? '' : say(meanOf(boots.map(read)));
}

/** What the values are compared by, as people read it: p95 grows where a value is worse. */
function contrastText({ contrast }: SweptVariant, figure: Sweep['figure']): string {
  if (contrast === undefined) return '';
  const { change, low, high } = contrast;
  const [shown = 0, from = 0, to = 0] =
    figure === 'tps' ? [change, low, high] : [change, high, low].map((value) => 1 / (1 + value) - 1);
  return `${percentOf(shown)} [${percentOf(from)}, ${percentOf(to)}]`;
}

function wordOf({ ended, hopeless, contrast }: SweptVariant, isBest: boolean, tolerated: number): string {
  if (isBest) return 'best';
  if (ended !== undefined) return hopeless ? 'given up' : 'left out';
  if (contrast === undefined) return '';
  if (!contrast.asGood) return 'worse';
  return contrast.low < -tolerated ? 'unclear' : 'as good';
}

function tableOf(sweep: Sweep, names: readonly string[]): FindingTable {
  const { variants, best: first, differs, figure } = sweep;
  const tolerated = toleratedLoss(sweep);
  // Without an effect, the first is so by chance.
  const best = differs ? first : undefined;
  const right = (title: string, optional = false) => ({ title, align: 'right', optional }) as const;
  const doubt = variants.flatMap((one) =>
    one.boots.flatMap(({ invalid }) => invalid.map((cause) => `${shortText(one, names)}: ${cause}`)),
  )[0];
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
        shortText(one, names),
        meanText(one, ({ tps }) => tps, formatTps),
        meanText(one, ({ p95Ms }) => p95Ms, formatMsFigure),
        index === first ? '' : contrastText(one, figure),
        meanText(one, ({ errorRate }) => errorRate, formatShare),
        meanText(one, ({ usedCpu }) => usedCpu, formatShare),
        `${one.boots.length}${one.boots.some(({ invalid }) => invalid.length > 0) ? ' !' : ''}`,
        wordOf(one, index === best, tolerated),
      ],
      ...(index === best && { state: 'best' as const }),
    })),
    note: `Values are compared by ${figure === 'tps' ? 'throughput' : 'p95, since the load has a fixed rate'}. The intervals hold for all pairs at once. CPU is the share of all CPU in use.${doubt === undefined ? '' : ` ! ${doubt}.`}`,
  };
}

function tickText(one: SweptVariant, names: readonly string[]): string {
  const text = names.flatMap((name) => one.values[name] ?? []).join(' ') || shortText(one, names);
  // Long values differ at their end, such as -XX:+UseZGC.
  return text.length > longestTick ? `…${text.slice(1 - longestTick)}` : text;
}

function chartOf({ variants, figure, cell }: Sweep, names: readonly string[]): FixedChart {
  const read = (boot: SweepBoot) => (figure === 'tps' ? boot.tps : boot.p95Ms);
  const say = figure === 'tps' ? formatTps : formatMsFigure;
  const measured = variants.flatMap((one, x) => (one.boots.length === 0 ? [] : [{ one, x }]));
  const label = (one: SweptVariant, y: number) => `${variantText(one.values, names)}: ${say(y)}`;
  return {
    title: capitalised(`${figure === 'tps' ? 'requests per second' : 'p95 in ms'} of ${cell} by value`),
    xTicks: variants.map((one, x) => ({ x, text: tickText(one, names) })),
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
          return { x, y, text: label(one, y) };
        }),
      },
      {
        name: 'one boot',
        className: 'base',
        joined: false,
        marked: true,
        points: measured.flatMap(({ one, x }) =>
          one.boots.map((boot) => ({ x, y: read(boot), text: label(one, read(boot)) })),
        ),
      },
    ],
  };
}
