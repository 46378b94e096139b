import { failingRows } from '../judge/index.ts';
import { Fault } from '../model/fault.ts';
import type { Verdict } from '../model/verdict.ts';

/** The rows that keep a check from passing and that somebody may accept. Fails if there is none. */
export function acceptableRows(verdict: Verdict): ReturnType<typeof failingRows> {
  const rows = failingRows(verdict);
  if (rows.length > 0) return rows;
  throw new Fault({
    code: 'E_ACCEPT_NOTHING',
    kind: 'usage',
    place: verdict.runId,
    cause: `nothing in this check can be accepted: its outcome is ${verdict.outcome}`,
    nextStep:
      'accept only figures that regressed or could not be decided; run the check again if it is invalid or noise, and change a service that no longer answers or misses an objective',
  });
}
