import { busyCpuShare } from '../../model/experiment.ts';
import { instancesName, type Sweep, type SweptVariant } from '../../model/sweep.ts';
import { formatShare } from '../format/number.ts';
import { countOf } from '../format/phrase.ts';

const factor = (value: number) => value.toFixed(2);

/**
 * How many times as many requests more instances answer than the fewest. Undefined if that was not the question, or if the
 * two were not compared.
 */
export function scalingSentence(
  { variants, best, figure }: Pick<Sweep, 'variants' | 'best' | 'figure'>,
  names: readonly string[],
): string | undefined {
  if (names.join() !== instancesName || figure !== 'tps' || best === undefined) return undefined;
  const count = ({ values }: SweptVariant) => Number(values[instancesName]);
  const compared = variants
    .filter(({ contrast }) => contrast !== undefined)
    .toSorted((a, b) => count(a) - count(b));
  const [fewest, most, bestOne] = [compared[0], compared.at(-1), variants[best]];
  if (fewest?.contrast === undefined || most?.contrast === undefined || bestOne === undefined)
    return undefined;
  // Contrasts are to the best, so the best is one of the two.
  const isWorse = bestOne === fewest;
  const more = isWorse ? most : bestOne;
  if (more === fewest) return undefined;
  const { change, low, high } = isWorse ? most.contrast : fewest.contrast;
  const [times = 0, from = 0, to = 0] = isWorse
    ? [change, low, high].map((value) => 1 + value)
    : [change, high, low].map((value) => 1 / (1 + value));
  const boots = more.boots;
  const used = boots.reduce((sum, { usedCpu }) => sum + usedCpu, 0) / boots.length;
  const full =
    used >= busyCpuShare ? ` ${formatShare(used)} of all CPU was in use, so there was none for more.` : '';
  return `${countOf(count(more), 'instance')} answer ${factor(times)} times as many requests as ${count(fewest)} [${factor(from)}, ${factor(to)}].${full}`;
}
