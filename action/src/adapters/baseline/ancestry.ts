import type { Git } from '../git/index.ts';
import type { Ancestry } from './retention.ts';

const objectName = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
/** A partial clone must not download the objects that it lacks. */
const env = { GIT_NO_LAZY_FETCH: '1' };

/**
 * The order of the commits that this repository has. It leaves out commits that git cannot order, as in a shallow
 * checkout or a history that takes too long to walk; their runs are ordered by time.
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
  // The walk can stop at the common ancestor.
  const common = await git.run(['merge-base', '--octopus', ...known], { env });
  const start = common.code === 0 ? common.stdout.trim() : '';
  const walked = await git.run(['rev-list', '--date-order', '--reverse', '--stdin'], {
    stdin: lines([...known, ...(start === '' ? [] : [`^${start}`])]),
    env,
  });
  if (walked.code !== 0) return new Map();
  const order = [start, ...walked.stdout.trim().split('\n')];
  return new Map(order.filter((commit) => known.includes(commit)).map((commit, index) => [commit, index]));
}

function lines(items: readonly string[]): string {
  return items.map((item) => `${item}\n`).join('');
}
