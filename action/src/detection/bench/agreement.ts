import type { Detection, RuleAnswers } from '../../model/detection.ts';

/** Every rate of the results, by rule, change and place. */
function rates({ unchanged, power, simulated }: Detection): ReadonlyMap<string, RuleAnswers['red']> {
  return new Map([
    ...unchanged.map((one) => [`${one.rule}, unchanged, ${one.regime}`, one.red] as const),
    ...power.map((one) => [`${one.rule}, ${one.scene}`, one.red] as const),
    ...simulated.map((one) => [`${one.rule}, ${one.scene}, simulated ${one.world}`, one.red] as const),
  ]);
}

/** Names of the rates that are not kept, or whose interval does not overlap that of the kept rate. */
export function disagreements(found: Detection, kept: Detection): readonly string[] {
  const known = rates(kept);
  return [...rates(found)].flatMap(([name, { low, high }]) => {
    const before = known.get(name);
    return before !== undefined && low <= before.high && before.low <= high ? [] : [name];
  });
}
