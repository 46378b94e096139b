import { Fault } from '../model/fault.ts';
import type { CheckContext } from './check-context.ts';
import type { CommitSource } from './ports.ts';

const shortLength = 8;

export function shortCommit(commit: string): string {
  return commit.slice(0, shortLength);
}

/** The base of a side-by-side check: the requested commit, or else the fork point of this branch. */
export async function sideBySideBase(
  { ports, code }: Pick<CheckContext, 'ports' | 'code'>,
  requested: string | undefined,
): Promise<string> {
  const base = await firstBase({ ports, code }, requested);
  if (base !== undefined) return base;
  const fork = await ports.commits.forkPoint();
  throw new Fault({
    code: 'E_BASE_REF',
    kind: 'usage',
    place: '--compare side-by-side',
    cause:
      fork === undefined
        ? 'git cannot find where this checkout left the default branch'
        : 'this checkout is the default branch itself, without a change',
    nextStep: 'name the commit to compare with (--base-ref, or `base-ref` of the Action), such as HEAD~1',
  });
}

/** The base where no run is stored yet: the requested commit, or else the fork point if head is anything but that. */
export async function firstBase(
  { ports: { commits }, code }: Pick<CheckContext, 'ports' | 'code'>,
  requested: string | undefined,
): Promise<string | undefined> {
  if (requested !== undefined) return requested;
  const fork = await commits.forkPoint();
  return fork !== code.commit || code.dirty ? fork : undefined;
}

/**
 * The commit to measure against when the stored runs do not suffice: the requested one, or else the newest stored one.
 * That may be the head's own commit, and then the measurement shows what the machine alone does. If the commit cannot be
 * built, the check notes why and this returns undefined.
 */
export async function confirmingBase(
  commits: Pick<CommitSource, 'isInHistory'>,
  note: (text: string) => void,
  newestStored: string | undefined,
  requested: string | undefined,
): Promise<string | undefined> {
  if (requested !== undefined) return requested;
  if (newestStored === undefined || newestStored === '') {
    note('the stored runs name no commit, so nothing can be re-measured against their code');
    return undefined;
  }
  const short = shortCommit(newestStored);
  try {
    if (await commits.isInHistory(newestStored)) return newestStored;
    note(
      `not re-measured against ${short}: in the history that is checked out, neither HEAD nor the default branch descends from it; check out the whole history (fetch-depth: 0), or name a base (--base-ref, or \`base-ref\` of the Action)`,
    );
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    note(`not re-measured against ${short}: ${error.details.cause}`);
  }
  return undefined;
}
