import type { BothRates, Detection, Rate } from '../../model/detection.ts';
import { table, titleOf } from './detection-cells.ts';

type Figure = keyof BothRates;

/** True if the intervals lie apart, and the first one is on the worse side: fewer changes found, or more false alarms. */
function isWorse(one: Rate, other: Rate, figure: Figure): boolean {
  return figure === 'power' ? one.high < other.low : one.low > other.high;
}

/** By how much the one that is beaten may be better in the figure that was made equal. */
const mostFavour = 0.1;

/**
 * Where a peer stands next to our rule. It is beaten only if it is worse in this figure, and not better in the one that was
 * made equal. A limit that is set in one half need not fit the other. So the figure that was made equal may still differ by
 * chance, or by a few points.
 */
function standing(ours: BothRates, theirs: BothRates, figure: Figure): 'beaten' | 'ahead' | 'open' {
  const price: Figure = figure === 'power' ? 'falseAlarms' : 'power';
  const favour = (one: Rate, other: Rate) =>
    price === 'power' ? one.rate - other.rate : other.rate - one.rate;
  const loses = (one: BothRates, other: BothRates) =>
    isWorse(one[figure], other[figure], figure) &&
    !isWorse(other[price], one[price], price) &&
    favour(one[price], other[price]) <= mostFavour;
  if (loses(theirs, ours)) return 'beaten';
  return loses(ours, theirs) ? 'ahead' : 'open';
}

const places = [
  ['power', 'atFalseAlarms'],
  ['falseAlarms', 'atPower'],
] as const;

/** Each peer next to our rule: in recorded runs, and in how many of the simulated worlds. */
export function standingsTable(found: Detection): string {
  const titles = new Map(found.simulated.map(({ world, title }) => [world, title]));
  const standingIn = (rows: Detection['equal'], rule: string, [figure, at]: (typeof places)[number]) => {
    const peer = rows.find((one) => one.rule === rule);
    const own = rows.find((one) => one.rule === peer?.against);
    const theirs = peer?.[at];
    return own === undefined || theirs === undefined ? undefined : standing(own.asItIs, theirs, figure);
  };
  /** A pair that was drawn from one run does not treat rules alike. */
  const lacksPairs = (rule: string) =>
    found.data.pairs === 0 &&
    found.equal.some((one) => one.rule === rule && one.against === 'perf-gate-beside');
  const worldsOf = (rule: string, place: (typeof places)[number]) =>
    [...titles].flatMap(([world, title]) => {
      const rows = found.simulatedEqual.filter((one) => one.world === world);
      const result = standingIn(rows, rule, place);
      return result === undefined ? [] : [{ title, result }];
    });
  const peers = found.rules.filter(({ source }) => source !== undefined);
  return table(
    [
      [
        'peer',
        'power, recorded',
        'false alarms, recorded',
        'power, simulated',
        'false alarms, simulated',
        'open or ahead',
      ],
      ...peers.map(({ name }) => {
        const worlds = places.map((place) => worldsOf(name, place));
        const unbeaten = worlds.flatMap((all, at) =>
          (['open', 'ahead'] as const).flatMap((result) => {
            const where = all.filter((one) => one.result === result).map(({ title }) => title);
            const figure = at === 0 ? 'Power' : 'False alarms';
            return where.length === 0 ? [] : [`${figure} ${result}: ${where.join('; ')}.`];
          }),
        );
        return [
          titleOf(found, name),
          ...places.map((place) =>
            lacksPairs(name) ? 'no pairs' : (standingIn(found.equal, name, place) ?? ''),
          ),
          ...worlds.map((all) => {
            const beaten = all.filter(({ result }) => result === 'beaten').length;
            return all.length === 0 ? '' : `beaten in ${beaten} of ${all.length}`;
          }),
          unbeaten.join(' '),
        ];
      }),
    ],
    6,
  );
}
