import { mostFailed } from '../../model/experiment.ts';
import { throughputAt } from '../../model/scalability-law.ts';
import { limitingParts, type Staircase, type StaircaseStep, usedCpu } from '../../model/staircase.ts';
import {
  formatCount,
  formatMs,
  formatMsFigure,
  formatShare,
  formatTps,
  interval,
  withInterval,
} from '../format/number.ts';
import { capitalised, countOf } from '../format/phrase.ts';
import type { FixedChart, Line } from '../pictures/fixed-chart.ts';
import { type Finding, type FindingTable, identityFacts } from './finding.ts';

/** Below this, users spend so much of their time between requests that it is worth a word. */
const mostlyAsking = 0.8;
/** Above this, contention is worth a word. */
const someContention = 0.005;

const whole = (value: number) => formatCount(Math.round(value));

/** The staircase in words, a table and two charts. */
export function staircaseFinding(staircase: Staircase): Finding {
  const { scenario, steps, fit, target, partial, limit } = staircase;
  return {
    title: `Staircase of ${scenario}`,
    sentence: sentenceOf(staircase),
    state: partial === undefined && steps.some(({ tps }) => tps.value > 0) ? 'unknown' : 'undecided',
    because: [
      ...(partial === undefined ? [] : [`Not all steps were measured: ${partial}.`]),
      ...(limit.evidence === '' ? [] : [`${capitalised(limit.evidence)}.`]),
      ...targetText(target, steps),
      ...(fit === undefined ? ['Too few steps for a law of how throughput scales.'] : lawText(fit)),
      ...pausesText(steps),
    ],
    tables: [tableOf(steps)],
    charts: [throughputChart(staircase), responseChart(staircase)],
    facts: [
      ...identityFacts(staircase),
      {
        label: 'blocks',
        text: `${countOf(
          steps.reduce((sum, { blocks }) => sum + blocks, 0),
          'block',
        )}, up and down the steps, from ${staircase.startedAt}`,
      },
    ],
    nextSteps: [],
  };
}

function sentenceOf({ steps, fit, limit }: Staircase): string {
  const best = steps.toSorted((a, b) => b.tps.value - a.tps.value)[0];
  if (best === undefined) return 'no step was measured.';
  if (best.tps.value === 0) return 'every request failed, so nothing is known about throughput.';
  const most = `${withInterval(best.tps, formatTps)} requests per second with ${whole(best.users)} users`;
  if (limit.part === 'none') return `throughput still grows: ${most}.`;
  const knee =
    fit === undefined ? '' : ` From about ${withInterval(fit.knee, whole)} users on, more users mostly wait.`;
  const part =
    limit.part === 'unknown' ? 'What limits it is not known.' : `The limit is ${limitingParts[limit.part]}.`;
  return `at most ${most}.${knee} ${part}`;
}

function targetText(target: Staircase['target'], steps: Staircase['steps']): readonly string[] {
  if (target === undefined) return [];
  const { p95Ms, users } = target;
  const [first, last] = [steps[0], steps.at(-1)];
  if (users === undefined) {
    return [`p95 stays below ${formatMs(p95Ms)} up to ${whole(last?.users ?? 0)} users.`];
  }
  const failing = steps.find((step) => step.users === users && step.errorRate > mostFailed);
  if (failing !== undefined) {
    return [
      `The target does not hold with ${whole(users)} users: ${formatShare(failing.errorRate)} of the requests fail.`,
    ];
  }
  return first !== undefined && first.p95Ms.value > p95Ms
    ? [`p95 is above ${formatMs(p95Ms)} with ${whole(users)} users already.`]
    : [`p95 passes ${formatMs(p95Ms)} at about ${whole(users)} users.`];
}

function lawText({ contention, coherence, peak }: NonNullable<Staircase['fit']>): readonly string[] {
  const queued =
    contention < someContention
      ? 'requests hardly wait for each other'
      : `throughput grows as if ${formatShare(contention)} of the work were done one request at a time, as by a lock or a CPU in use`;
  const pairs =
    coherence === 0
      ? 'more users do not slow each other down beyond that'
      : `each pair of users adds ${coherence.toPrecision(2)} of a request's work, so throughput falls again with very many users`;
  return [
    `Universal Scalability Law: contention σ = ${significant(contention)}, coherence κ = ${significant(coherence)}, at most ${withInterval(peak, formatTps)} requests per second. That is, ${queued}, and ${pairs}.`,
  ];
}

const significant = (value: number) => String(Number(value.toPrecision(2)));

/** Little's law: users who always wait for an answer keep X·R = N requests in flight. */
function pausesText(steps: readonly StaircaseStep[]): readonly string[] {
  const [first] = steps;
  if (first === undefined) return [];
  // Users wait for requests that fail too.
  const answered = first.tps.value / (1 - first.errorRate);
  if (!Number.isFinite(answered)) return [];
  const asking = (answered * first.meanMs) / 1000 / first.users;
  if (asking >= mostlyAsking) return [];
  return [
    `With ${whole(first.users)} users, each one waits for answers ${formatShare(asking)} of the time. The rest is pauses of the script and work of the generator. So fewer requests than users are in flight.`,
  ];
}

function tableOf(steps: readonly StaircaseStep[]): FindingTable {
  const best = Math.max(...steps.map(({ tps }) => tps.value));
  const right = (title: string, optional = false) => ({ title, align: 'right', optional }) as const;
  const share = (value: number) => `${Math.round(100 * value)}%`;
  return {
    title: 'Steps',
    columns: [
      right('users'),
      right('requests/s [95%]'),
      right('mean ms'),
      right('p95 ms'),
      right('[95%]', true),
      right('errors'),
      right('service'),
      right('backing'),
      right('k6', true),
      right('idle'),
      right('blocks', true),
    ],
    rows: steps.map(({ users, tps, meanMs, p95Ms, errorRate, cpu, blocks, invalid }) => ({
      cells: [
        whole(users),
        withInterval(tps, formatTps),
        formatMsFigure(meanMs),
        formatMsFigure(p95Ms.value),
        interval(p95Ms, formatMsFigure),
        formatShare(errorRate),
        share(cpu.service),
        share(cpu.backing),
        share(cpu.generator),
        share(Math.max(0, 1 - usedCpu({ cpu }))),
        `${blocks}${invalid.length > 0 ? ' !' : ''}`,
      ],
      ...(tps.value === best && best > 0 && { state: 'best' as const }),
    })),
    note: [
      'service, backing, k6 and idle are shares of all CPU.',
      ...(steps.some(({ invalid }) => invalid.length > 0)
        ? [
            `! ${steps.flatMap(({ users, invalid }) => invalid.map((cause) => `${whole(users)} users: ${cause}`))[0]}`,
          ]
        : []),
    ].join(' '),
  };
}

const curvePoints = 41;
const place = (users: number) => Math.log2(users);

function axes(steps: readonly StaircaseStep[]): Pick<FixedChart, 'xTicks' | 'xRange'> {
  const xs = steps.map(({ users }) => place(users));
  const [low, high] = [Math.min(...xs), Math.max(...xs)];
  return {
    xTicks: steps.map(({ users }) => ({ x: place(users), text: whole(users) })),
    xRange: [low - 0.3, high + 0.3],
  };
}

function throughputChart({ steps, fit }: Staircase): FixedChart {
  const measured: Line = {
    name: 'measured',
    className: 'head',
    joined: true,
    marked: true,
    points: steps.map(({ users, tps }) => ({
      x: place(users),
      y: tps.value,
      text: `${whole(users)} users: ${withInterval(tps, formatTps)} requests/s`,
    })),
  };
  const low = steps[0]?.users ?? 1;
  const high = steps.at(-1)?.users ?? 1;
  const curve: Line[] =
    fit === undefined
      ? []
      : [
          {
            name: 'Universal Scalability Law',
            className: 'base',
            joined: true,
            marked: false,
            points: Array.from({ length: curvePoints }, (_, index) => {
              const users = low * (high / low) ** (index / (curvePoints - 1));
              const y = throughputAt(fit, users);
              return { x: place(users), y, text: `${whole(users)} users: ${formatTps(y)}` };
            }),
          },
        ];
  const known = steps.filter(({ tps }) => Number.isFinite(tps.high));
  return {
    title: 'Requests per second over users',
    ...axes(steps),
    band: known.map(({ users, tps }) => ({ x: place(users), from: tps.low, to: tps.high })),
    y: formatTps,
    yScale: 'linear',
    lines: [measured, ...curve],
  };
}

function responseChart({ steps, target }: Staircase): FixedChart {
  const line = (name: string, className: string, read: (step: StaircaseStep) => number): Line => ({
    name,
    className,
    joined: true,
    marked: true,
    points: steps.map((step) => ({
      x: place(step.users),
      y: read(step),
      text: `${whole(step.users)} users: ${name} ${formatMs(read(step))}`,
    })),
  });
  const ends = [steps[0], steps.at(-1)].flatMap((step) => (step === undefined ? [] : [step.users]));
  const limit: Line[] =
    target === undefined
      ? []
      : [
          {
            name: 'target of p95',
            className: 'limit',
            joined: true,
            marked: false,
            points: ends.map((users) => ({ x: place(users), y: target.p95Ms, text: formatMs(target.p95Ms) })),
          },
        ];
  return {
    title: 'Response time over users',
    ...axes(steps),
    y: formatMs,
    yScale: 'log',
    lines: [
      line('p95', 'head', ({ p95Ms }) => p95Ms.value),
      line('mean', 'base', ({ meanMs }) => meanMs),
      ...limit,
    ],
  };
}
