import type { Detection, RuleAnswers } from '../../model/detection.ts';
import { standardScore, wilson } from '../../stats/index.ts';

/** Answers on recorded runs. Nothing in them is drawn differently from one bench to the next, so they have to be equal. */
function exact(found: Detection): ReadonlyMap<string, string> {
  const { noise, tolerances, unchanged, byThroughput, power, equal, levers, changes, series } = found;
  const rows: readonly (readonly [name: string, row: object])[] = [
    ...noise.map((row) => [`noise from ${row.from}`, row] as const),
    ...tolerances.map((row) => [`tolerance of ${row.metric}`, row] as const),
    ...unchanged.map((row) => [`${row.rule}, unchanged, ${row.regime}`, row] as const),
    ...byThroughput.map((row) => [`${row.rule}, unchanged, by TPS alone`, row] as const),
    ...power.map((row) => [`${row.rule}, ${row.scene}`, row] as const),
    ...equal.map((row) => [`${row.rule}, other limits`, row] as const),
    ...levers.map((row) => [`without ${row.lever}, ${row.scene}`, row] as const),
    // A change may be recorded more than once.
    ...Map.groupBy(changes, ({ rule, change }) => `${rule}, ${change}`),
    ...series.map((row) => [`${row.rule}, series, ${row.scene}`, row] as const),
  ];
  return new Map(rows.map(([name, row]) => [name, rounded(row)]));
}

/** The last digits of a number may differ between processors. */
function rounded(row: object): string {
  return JSON.stringify(row, (_, value: unknown) => (typeof value === 'number' ? value.toFixed(6) : value));
}

/** How often one of all simulated rates may be named although no rule changed. */
const falseAlarms = 0.05;

/** Rates of simulated checks, of which a bench may draw fewer than are kept. */
function drawn({ simulated }: Detection): ReadonlyMap<string, RuleAnswers> {
  return new Map(simulated.map((one) => [`${one.rule}, ${one.scene}, simulated ${one.world}`, one]));
}

/**
 * Names of the rates that only one of both has, of those of recorded runs that are not equal, and of the simulated ones
 * whose interval does not overlap that of the kept rate. There are hundreds of those, so the intervals are for all of them
 * together (Bonferroni's inequality).
 */
export function disagreements(found: Detection, kept: Detection): readonly string[] {
  const z = standardScore(falseAlarms / 2 / Math.max(1, kept.simulated.length));
  const interval = ({ red, checks }: RuleAnswers) => wilson({ events: red.rate * checks, trials: checks }, z);
  return [
    ...differing(exact(found), exact(kept), (one, other) => one === other),
    ...differing(drawn(found), drawn(kept), (one, other) => {
      const [own, known] = [interval(one), interval(other)];
      return own.low <= known.high && known.low <= own.high;
    }),
  ];
}

function differing<Value>(
  found: ReadonlyMap<string, Value>,
  kept: ReadonlyMap<string, Value>,
  agree: (found: Value, kept: Value) => boolean,
): readonly string[] {
  return [...new Set([...found.keys(), ...kept.keys()])].filter((name) => {
    const [one, other] = [found.get(name), kept.get(name)];
    return one === undefined || other === undefined || !agree(one, other);
  });
}
