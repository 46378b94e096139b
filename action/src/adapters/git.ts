import { x } from 'tinyexec';
import type { Run } from '../model/run.ts';

/** Which code the folder holds. Outside a repository, or before its first commit, the commit is empty. */
export async function readCode(directory: string): Promise<Run['code']> {
  const git = async (...args: string[]) => {
    try {
      const result = await x('git', args, { nodeOptions: { cwd: directory } });
      return result.exitCode === 0 ? result.stdout.trim() : '';
    } catch {
      // Without git there is no commit to name; the measurement does not need one.
      return '';
    }
  };
  const [commit, branch, status] = await Promise.all([
    git('rev-parse', '--verify', '--quiet', 'HEAD'),
    git('branch', '--show-current'),
    git('status', '--porcelain', '--untracked-files=no'),
  ]);
  return { commit, branch, dirty: status !== '' };
}
