import type { Git } from '../git/index.ts';
import type { Ancestry } from './retention.ts';

const objectName = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
/** A partial clone does not go and get what it lacks. */
const env = { GIT_NO_LAZY_FETCH: '1' };

/**
 * The order of those commits that this repository holds. Where git cannot tell (a shallow checkout, a history that
 * takes too long to walk), commits are left out, and time has to do.
 */
export async function readAncestry(git: Git, commits: readonly string[]): Promise<Ancestry> {
  const named = [...new Set(commits)].filter((commit) => objectName.test(commit));
  const checked = await git.run(['cat-file', '--batch-check=%(objectname) %(objecttype)'], {
    stdin: lines(named),
    env,
  });
  const known = checked.stdout.split('\n').flatMap((line) => {
    const [name = '', type] = line.split(' ');
    return type === 'commit' ? [name] : [];
  });
  if (known.length < 2) return new Map(known.map((commit) => [commit, 0]));
  // Nothing older than what all have in common has to be walked.
  const common = await git.run(['merge-base', '--octopus', ...known], { env });
  const start = common.code === 0 ? common.stdout.trim() : '';
  const walked = await git.run(['rev-list', '--date-order', '--reverse', '--stdin'], {
    stdin: lines([...known, ...(start === '' ? [] : [`^${start}`])]),
    env,
  });
  if (walked.code !== 0) return new Map();
  const order = [start, ...walked.stdout.trim().split('\n')];
  const wanted = new Set(known);
  return new Map(order.filter((commit) => wanted.has(commit)).map((commit, index) => [commit, index]));
}

function lines(items: readonly string[]): string {
  return items.map((item) => `${item}\n`).join('');
}
