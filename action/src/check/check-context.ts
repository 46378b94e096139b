import type { Run } from '../model/run.ts';
import type { CheckPlan } from './check-plan.ts';
import type { CheckPorts } from './ports.ts';

/** What every step of one check shares. */
export interface CheckContext {
  readonly plan: CheckPlan;
  readonly ports: CheckPorts;
  readonly code: Run['code'];
  readonly note: (text: string) => void;
  readonly signal: AbortSignal;
}
