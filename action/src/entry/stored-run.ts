import { Fault } from '../model/fault.ts';
import type { StoredRun } from '../report/index.ts';

/** The only run with that id, that beginning of an id, or that name. */
export function findStoredRun(stored: readonly StoredRun[], text: string, place: string): StoredRun {
  const exact = stored.filter(({ run, pins }) => run.id === text || pins.includes(text));
  const found = exact.length > 0 ? exact : stored.filter(({ run }) => text !== '' && run.id.startsWith(text));
  const [first, second] = found;
  if (first === undefined) {
    throw new Fault({
      code: 'E_BASELINE_RUN_UNKNOWN',
      kind: 'usage',
      place,
      cause: `no stored run has the id or name ${JSON.stringify(text)}`,
      nextStep: 'take an id from ./gate baseline list',
    });
  }
  if (second !== undefined) {
    const ids = found.map(({ run }) => run.id);
    throw new Fault({
      code: 'E_BASELINE_RUN_AMBIGUOUS',
      kind: 'usage',
      place,
      cause: `${found.length} runs begin with ${JSON.stringify(text)}: ${ids.slice(0, 3).join(', ')}`,
      nextStep: 'type more of the id',
    });
  }
  return first;
}
