import type { Capacity, CarriedUsers } from '../../model/capacity.ts';
import { formatCount, formatMs, formatTps } from '../format/number.ts';
import type { Finding } from './finding.ts';

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
    charts: [],
    facts: [],
    nextSteps: [],
  };
}

/** How many users a day a staircase's best step carries. */
export function carriedFinding(
  carried: CarriedUsers | undefined,
  { requestsPerUser, peakFactor, targetSeconds }: Capacity['demand'],
): Finding {
  const target = formatMs(1000 * targetSeconds);
  const common = { title: 'Capacity', tables: [], charts: [], facts: [], nextSteps: [] } as const;
  if (carried === undefined) {
    return {
      ...common,
      sentence: `no step of the staircase had a p95 within ${target}, so it carries no users at that target.`,
      state: 'regression',
      because: [],
    };
  }
  const { requestsPerSecond, vus, dailyUsers } = carried;
  return {
    ...common,
    sentence: `this machine carries ${formatCount(dailyUsers)} users a day with p95 within ${target}.`,
    state: 'pass',
    because: [
      `Highest throughput with p95 within ${target}: ${formatTps(requestsPerSecond)} requests per second, with ${formatCount(vus)} virtual users.`,
      `Users a day = throughput / peak factor x 86,400 s / requests of each = ${figure(requestsPerSecond)} / ${figure(peakFactor)} x 86,400 / ${figure(requestsPerUser)} = ${formatCount(dailyUsers)}.`,
    ],
  };
}
