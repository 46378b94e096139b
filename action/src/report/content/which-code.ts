import type { CodeChange, FrameChange, Verdict } from '../../model/verdict.ts';
import { formatCount, formatShare } from '../format/number.ts';
import { longestName, type Phrase, type PhrasePart } from '../format/phrase.ts';
import { cellLiteral } from './tables.ts';

/** `PlanRepository.find` of `shop.trips.PlanRepository.find`: packages say little and take the room of a line. */
function method(frame: string): PhrasePart {
  return { literal: frame.split('.').slice(-2).join('.'), longest: longestName };
}

function where({ frame, caller }: FrameChange): Phrase {
  return [method(frame), ...(caller === null ? [] : [' from ', method(caller)])];
}

function cpuItem(change: FrameChange): Phrase {
  const { base, head } = change;
  return [...where(change), `: ${formatShare(base)} → ${formatShare(head)} of the service's CPU`];
}

function lockItem(change: FrameChange): Phrase {
  const { base, head } = change;
  const wait = `${formatCount(base)} → ${formatCount(head)} ms per second`;
  return [...where(change), `: its threads wait ${wait} for a lock or a condition`];
}

/** The methods that grew; empty if none stands out. */
export function methodItems({ cpu, locks }: CodeChange): readonly Phrase[] {
  return [...cpu.map(cpuItem), ...locks.map(lockItem)];
}

function itemsOf(change: CodeChange): readonly Phrase[] {
  const items = methodItems(change);
  return items.length > 0
    ? items
    : [['no method stands out: none uses more of the CPU or waits longer for locks, beyond chance']];
}

/** The methods that grew in the profiles of base and head, cell by cell. */
export function whichCode({ codeChanges = [] }: Verdict): readonly Phrase[] {
  return codeChanges.flatMap((change) =>
    itemsOf(change).map((item): Phrase => [cellLiteral(change), ': ', ...item]),
  );
}
