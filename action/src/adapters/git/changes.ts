import type { Git } from './command.ts';

/** A file that differs from how the base has it. */
interface ChangedFile {
  /** Relative to the top of the repository, as the base has it. */
  readonly path: string;
  readonly inBase: boolean;
}

/** The files in which the work tree differs from the commit. Files that git does not know count as no change. */
export async function changedSince(git: Git, commit: string): Promise<readonly ChangedFile[]> {
  const listed = await git.output(['diff', '--name-status', '--no-renames', '-z', commit, '--']);
  const fields = listed.split('\0');
  return fields.flatMap((status, index) => {
    // States and paths alternate.
    const path = index % 2 === 0 ? fields[index + 1] : undefined;
    return path === undefined || status === '' ? [] : [{ path, inBase: status !== 'A' }];
  });
}

/** The files that git neither knows nor ignores, relative to the top of the repository. */
export async function newFiles(git: Git): Promise<readonly string[]> {
  const listed = await git.output(['ls-files', '--others', '--exclude-standard', '--full-name', '-z', ':/']);
  return listed.split('\0').filter(Boolean);
}

/** The newest `most` commits up to `tip`, newest first, that none of the `known` ones has in its history. */
export async function commitsSince(
  git: Git,
  known: readonly string[],
  tip: string,
  most: number,
): Promise<readonly string[]> {
  const excluded = known.filter(Boolean).map((commit) => `^${commit}`);
  // A rewritten history lacks some of them, and a partial clone must not search for those.
  const walk = ['rev-list', '--first-parent', '--ignore-missing', `--max-count=${most}`, tip, ...excluded];
  const listed = await git.output(walk, { env: { GIT_NO_LAZY_FETCH: '1' } });
  return listed.split('\n').filter(Boolean);
}

/** The text of a file in the folder that git runs in, as the commit has it; undefined if it has none. */
export async function fileIn(git: Git, commit: string, name: string): Promise<string | undefined> {
  const answer = await git.run(['show', `${commit}:./${name}`]);
  return answer.code === 0 ? answer.stdout : undefined;
}
