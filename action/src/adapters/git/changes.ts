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

/** The text of a file in the folder that git runs in, as the commit has it; undefined if it has none. */
export async function fileIn(git: Git, commit: string, name: string): Promise<string | undefined> {
  const answer = await git.run(['show', `${commit}:./${name}`]);
  return answer.code === 0 ? answer.stdout : undefined;
}
