import type { Capacity, CarriedUsers, Demand } from '../../model/capacity.ts';
import { formatCount, formatMs, formatTps, withInterval } from '../format/number.ts';
import type { FixedChart } from '../pictures/fixed-chart.ts';
import type { Finding, FindingTable } from './finding.ts';

/** Values below 0.1 are not rounded to decimals, which would lose them. */
const figure = (value: number) =>
  value < 0.1
    ? String(Number(value.toPrecision(2)))
    : Number(value.toPrecision(6)).toLocaleString('en-US', { maximumFractionDigits: 2 });

/** The loads that stand for a day's users, with every formula and its figures. */
export function capacityFinding({ demand, loads, pool }: Capacity): Finding {
  const { dailyUsers, requestsPerUser, passSeconds, requestsPerPass, peakFactor, targetSeconds } = demand;
  const [average, peak] = loads;
  const target = formatMs(1000 * targetSeconds);
  return {
    title: 'Capacity',
    sentence: `${formatCount(dailyUsers)} users a day are ${formatCount(average?.vus ?? 0)} virtual users on average and ${formatCount(peak?.vus ?? 0)} at the peak, who send ${formatTps(average?.tps ?? 0)} and ${formatTps(peak?.tps ?? 0)} requests per second if each is answered within ${target}.`,
    state: 'unknown',
    because: [
      `Requests per second on average = users a day x requests of each / 86,400 s = ${figure(dailyUsers)} x ${figure(requestsPerUser)} / 86,400 = ${figure(average?.requestsPerSecond ?? 0)}${(average?.requestsPerSecond ?? 0) < 0.1 ? '' : ', to one decimal'}.`,
      `At the peak = average x ${figure(peakFactor)} = ${figure(peak?.requestsPerSecond ?? 0)}.`,
      ...loads.map(
        ({ name, requestsPerSecond, exactUsers, vus }) =>
          `Virtual users, ${name} = requests per second x seconds of a pass / requests in it = ${figure(requestsPerSecond)} x ${figure(passSeconds)} / ${figure(requestsPerPass)} = ${exactUsers.toFixed(1)}, rounded up to ${formatCount(vus)}.`,
      ),
      `Throughput = virtual users / response time, because a virtual user asks again as soon as it has its answer: ${loads.map(({ vus, tps }) => `${formatCount(vus)} / ${figure(targetSeconds)} s = ${formatTps(tps)}`).join(', ')} requests per second.`,
      ...(peak === undefined
        ? []
        : [
            `Worker threads = requests in flight, doubled and rounded: ${figure(peak.requestsPerSecond)} x ${figure(targetSeconds)} s = ${formatCount(peak.inFlight)}, so ${formatCount(peak.threads)}.`,
          ]),
      ...(pool === undefined || demand.databaseCores === undefined
        ? []
        : [
            `Connections = 2 x ${demand.databaseCores} cores of the database + 1 = ${pool}, as a start: measure it.`,
          ]),
    ],
    tables: [
      {
        title: 'Loads',
        columns: [
          { title: 'load', align: 'left' },
          { title: 'requests/s of users', align: 'right' },
          { title: 'virtual users', align: 'right' },
          { title: 'requests/s of the load', align: 'right' },
          { title: 'in flight', align: 'right' },
          { title: 'threads', align: 'right' },
        ],
        rows: loads.map(({ name, requestsPerSecond, vus, tps, inFlight, threads }) => ({
          cells: [
            name,
            formatTps(requestsPerSecond),
            formatCount(vus),
            formatTps(tps),
            formatCount(inFlight),
            formatCount(threads),
          ],
        })),
        note: 'A virtual user sends its next request at once, so the load asks for far more than the users do: it leaves room.',
      },
    ],
    charts: [demandChart(demand, loads)],
    facts: [],
    nextSteps: [],
  };
}

/** Requests per second by users a day, up to twice as many as there are. */
function demandChart({ dailyUsers }: Capacity['demand'], loads: Capacity['loads']): FixedChart {
  const shares = [0, 0.5, 1, 1.5, 2];
  return {
    title: 'Requests per second by users a day',
    xTicks: shares.map((share) => ({ x: share, text: formatCount(share * dailyUsers) })),
    xRange: [0, 2],
    labels: [{ x: 1, text: 'the users of this day' }],
    y: formatTps,
    yScale: 'linear',
    lines: loads.map(({ name, requestsPerSecond }) => ({
      name: name === 'peak' ? 'in the busiest hour' : 'on average',
      className: name === 'peak' ? 'head' : 'base',
      joined: true,
      marked: true,
      points: shares.map((share) => {
        const y = share * requestsPerSecond;
        return { x: share, y, text: `${formatCount(share * dailyUsers)} users a day: ${formatTps(y)}` };
      }),
    })),
  };
}

/** How many users a day a staircase's best step carries. */
export function carriedFinding(
  { steps, best }: CarriedUsers,
  {
    requestsPerUser,
    peakFactor,
    targetSeconds,
  }: Pick<Demand, 'requestsPerUser' | 'peakFactor' | 'targetSeconds'>,
): Finding {
  const target = formatMs(1000 * targetSeconds);
  const common = {
    title: 'Capacity',
    tables: [stepsTable(steps, target)],
    charts: [carriedChart(steps, target)],
    facts: [],
    nextSteps: [],
  };
  if (best === undefined) {
    return {
      ...common,
      sentence: `no step of the staircase had both a p95 within ${target} and requests that succeed, so it carries no users at that target.`,
      state: 'regression',
      because: [],
    };
  }
  const { requestsPerSecond, vus, dailyUsers } = best;
  return {
    ...common,
    sentence: `this machine carries ${withInterval(dailyUsers, formatCount)} users a day with p95 within ${target}.`,
    state: 'pass',
    because: [
      `Highest throughput with p95 within ${target}: ${formatTps(requestsPerSecond.value)} requests per second, with ${formatCount(vus)} virtual users.`,
      `Users a day = throughput / peak factor x 86,400 s / requests of each = ${figure(requestsPerSecond.value)} / ${figure(peakFactor)} x 86,400 / ${figure(requestsPerUser)} = ${formatCount(dailyUsers.value)}.`,
    ],
  };
}

function stepsTable(steps: CarriedUsers['steps'], target: string): FindingTable {
  return {
    title: 'Steps of the staircase',
    columns: [
      { title: 'virtual users', align: 'right' },
      { title: 'requests/s', align: 'right' },
      { title: 'p95', align: 'right' },
      { title: 'users a day [95%]', align: 'right' },
    ],
    rows: steps.map(({ vus, requestsPerSecond, p95Ms, dailyUsers, holds }) => ({
      cells: [
        formatCount(vus),
        formatTps(requestsPerSecond.value),
        formatMs(p95Ms),
        withInterval(dailyUsers, formatCount),
      ],
      ...(!holds && { state: 'bad' as const }),
    })),
    note: `A step counts if its p95 is within ${target} and its requests succeed.`,
  };
}

/** Users a day by virtual users, step by step. */
function carriedChart(steps: CarriedUsers['steps'], target: string): FixedChart {
  const points = (isWanted: (step: CarriedUsers['steps'][number]) => boolean) =>
    steps.flatMap((step, x) =>
      isWanted(step)
        ? [
            {
              x,
              y: step.dailyUsers.value,
              text: `${formatCount(step.vus)} virtual users: ${withInterval(step.dailyUsers, formatCount)}`,
            },
          ]
        : [],
    );
  return {
    title: 'Users a day in thousands by virtual users',
    xTicks: steps.map(({ vus }, x) => ({ x, text: formatCount(vus) })),
    xRange: [-0.5, steps.length - 0.5],
    band: steps.flatMap(({ dailyUsers: { low, high } }, x) =>
      Number.isFinite(high) ? [{ x, from: low, to: high }] : [],
    ),
    y: (users) => formatCount(users / 1000),
    yScale: 'linear',
    lines: [
      {
        name: `p95 within ${target}`,
        className: 'head',
        joined: false,
        marked: true,
        points: points(({ holds }) => holds),
      },
      {
        name: 'slower, or with failing requests',
        className: 'limit',
        joined: false,
        marked: true,
        points: points(({ holds }) => !holds),
      },
    ],
  };
}
