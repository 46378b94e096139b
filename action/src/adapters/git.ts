import { Fault } from '../model/fault.ts';
import type { Run } from '../model/run.ts';
import type { Git } from './git-command.ts';

/** Which code the folder holds. Outside a repository, or before its first commit, the commit is empty. */
export async function readCode(git: Git): Promise<Run['code']> {
  const line = async (...args: string[]) => {
    try {
      const { code, stdout } = await git.run(args);
      return code === 0 ? stdout.trim() : '';
    } catch (error) {
      // Without git there is no commit to name; the measurement does not need one.
      if (error instanceof Fault) return '';
      throw error;
    }
  };
  const [commit, branch, status] = await Promise.all([
    line('rev-parse', '--verify', '--quiet', 'HEAD'),
    line('branch', '--show-current'),
    line('status', '--porcelain', '--untracked-files=no'),
  ]);
  return { commit, branch, dirty: status !== '' };
}
