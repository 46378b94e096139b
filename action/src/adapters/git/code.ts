import { Fault } from '../../model/fault.ts';
import type { Run } from '../../model/run.ts';
import type { Git, GitAnswer } from './command.ts';

/** Which code the folder holds. Outside a repository, or before its first commit, the commit is empty. */
export async function readCode(git: Git): Promise<Run['code']> {
  const ask = async (...args: string[]) => {
    try {
      return await git.run(args);
    } catch (error) {
      // Without git there is no commit to name; the measurement does not need one.
      if (error instanceof Fault) return undefined;
      throw error;
    }
  };
  const [commit, branch, status] = await Promise.all([
    ask('rev-parse', '--verify', '--quiet', 'HEAD'),
    ask('branch', '--show-current'),
    ask('status', '--porcelain', '--untracked-files=no'),
  ]);
  return { commit: lineOf(commit), branch: lineOf(branch), dirty: isDirty(status) };
}

function lineOf(answer: GitAnswer | undefined): string {
  return answer?.code === 0 ? answer.stdout.trim() : '';
}

/** A repository that git cannot tell of counts as changed: what may be no commit must not become a baseline as one. */
function isDirty(status: GitAnswer | undefined): boolean {
  if (status === undefined || isOutside(status)) return false;
  return status.code !== 0 || status.stdout.trim() !== '';
}

function isOutside({ code, stderr }: GitAnswer): boolean {
  return code !== 0 && /^fatal: not a git repository/m.test(stderr);
}
