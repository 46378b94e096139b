import type { Plan } from '../measure/index.ts';
import type { CheckMode } from '../model/check-mode.ts';
import type { Config } from '../model/config.ts';
import type { Verdict } from '../model/verdict.ts';

/** One suite, ready to check. */
export interface CheckPlan {
  readonly mode: CheckMode;
  readonly runId: string;
  readonly config: Config;
  readonly suite: Plan;
  /** Commit, branch or tag to compare with. The default is the newest stored commit, or the fork point. */
  readonly baseRef?: string | undefined;
  /** True for a verdict that needs no profile to explain it. By default each regression is profiled. */
  readonly isExplained?: ((verdict: Verdict) => boolean) | undefined;
  /** True if the run may be recorded later. A comparison with stored runs then takes all rounds, whatever they prove. */
  readonly allRounds?: boolean | undefined;
}

/** Whether the mode may measure a base commit next to the head. */
export function mayMeasureBase(mode: CheckMode): boolean {
  return mode === 'auto' || mode === 'side-by-side';
}
