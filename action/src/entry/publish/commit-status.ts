import type { CommitStatus } from '../../check/index.ts';
import type { FailOn } from '../../model/fail-on.ts';
import { exitCodes } from '../../model/fault.ts';
import type { Verdict } from '../../model/verdict.ts';
import { verdictSentence, type WithheldReason } from '../../report/index.ts';
import { exitCodeOf } from '../exit-code.ts';

const defaultConfig = 'perf/gate.yml';

/** Name of the status that a branch may require. Each suite of each configuration has its own. */
export function statusContext(configPath: string, suite: string): string {
  return configPath === defaultConfig ? `perf-gate (${suite})` : `perf-gate (${configPath}: ${suite})`;
}

/** GitHub refuses a longer one. */
const longestDescription = 140;
const longestNames = 40;

type Said = Pick<CommitStatus, 'state' | 'description'>;

/** Without a report that the trusted side can judge, nothing is a success. */
const withheld: Readonly<Record<WithheldReason, string>> = {
  missing: 'no report: the run that measures ended before it wrote one, or was changed not to',
  several: 'several open pull requests have this head, so the report belongs to none of them',
  suite: 'the pull request measures none of the cells that the default branch has',
  base: 'the report compares with a commit that is not in the history of the base branch',
  version: 'the report is of another version of the gate than the default branch has',
  untrusted: 'the report cannot be trusted, and nothing of it was used',
  failed: 'the report could not be judged; the log of this job says why',
};

export function statusWithout(reason: WithheldReason): Said {
  return { state: reason === 'failed' ? 'error' : 'failure', description: withheld[reason] };
}

export function statusOf(verdict: Verdict, failOn: FailOn): Said {
  const state = exitCodeOf(verdict, failOn) === exitCodes.pass ? 'success' : 'failure';
  const suffix = acceptedBy(verdict);
  return { state, description: `${verdictSentence(verdict, longestDescription - suffix.length)}${suffix}` };
}

/** Who accepted what regressed, unless the names are longer than a status allows. */
function acceptedBy({ accepted = [] }: Verdict): string {
  const names = [...new Set(accepted.map(({ by }) => by ?? 'gate.yml'))].join(', ');
  return names === '' || names.length > longestNames ? '' : ` Accepted by ${names}.`;
}
