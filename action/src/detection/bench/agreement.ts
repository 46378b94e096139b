import type { Detection, RuleAnswers } from '../../model/detection.ts';

/** Answers on recorded runs. Nothing in them is drawn differently from one bench to the next, so they have to be equal. */
function exact({
  unchanged,
  byThroughput,
  power,
  levers,
  changes,
  series,
}: Detection): ReadonlyMap<string, string> {
  const rateText = (rate: number) => rate.toFixed(6);
  return new Map([
    ...unchanged.map(
      ({ rule, regime, red }) => [`${rule}, unchanged, ${regime}`, rateText(red.rate)] as const,
    ),
    ...byThroughput.map(({ rule, red }) => [`${rule}, unchanged, by TPS alone`, rateText(red.rate)] as const),
    ...power.map(({ rule, scene, red }) => [`${rule}, ${scene}`, rateText(red.rate)] as const),
    ...levers.map(({ lever, scene, red }) => [`without ${lever}, ${scene}`, rateText(red.rate)] as const),
    ...changes.map(({ rule, change, answer }) => [`${rule}, ${change}`, answer] as const),
    ...series.map(
      ({ rule, scene, falseAlarms, within20 }) =>
        [`${rule}, series, ${scene}`, `${rateText(falseAlarms)} ${rateText(within20)}`] as const,
    ),
  ]);
}

/** Rates of simulated checks, of which a bench may draw fewer than are kept. */
function drawn({ simulated }: Detection): ReadonlyMap<string, RuleAnswers['red']> {
  return new Map(simulated.map((one) => [`${one.rule}, ${one.scene}, simulated ${one.world}`, one.red]));
}

/**
 * Names of the rates that only one of both has, of those of recorded runs that are not equal, and of the simulated ones
 * whose interval does not overlap that of the kept rate.
 */
export function disagreements(found: Detection, kept: Detection): readonly string[] {
  return [
    ...differing(exact(found), exact(kept), (one, other) => one === other),
    ...differing(drawn(found), drawn(kept), (one, other) => one.low <= other.high && other.low <= one.high),
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
