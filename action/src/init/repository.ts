import { Fault } from '../model/fault.ts';

/** Another team's repository, as far as it was looked at. Everything in it is a stranger's word. */
export interface Repository {
  /** Name of its folder. */
  readonly name: string;
  /** Its default branch; undefined if git does not tell. */
  readonly branch: string | undefined;
  /** Its files, relative to its top with `/`, sorted; some levels deep, without what tools have made. */
  readonly paths: readonly string[];
  /** Content of one of them; undefined if it is not there, not text, or too large to be written by hand. */
  readonly text: (path: string) => string | undefined;
}

/** The text of a file that tells how the service is run: one that cannot be read is not passed over. */
export function manifestText(repository: Repository, path: string): string | undefined {
  if (!repository.paths.includes(path)) return undefined;
  const text = repository.text(path);
  if (text !== undefined) return text;
  throw unreadable(path, 'it is not UTF-8 text, or larger than 256 KiB');
}

export function unreadable(place: string, cause: string): Fault {
  return new Fault({
    code: 'E_INIT_READ',
    kind: 'usage',
    place,
    cause,
    nextStep: 'mend it, or write perf/gate.yml by hand: the README of perf-gate shows one',
  });
}

/** Far more than a service's entry and its routes; a monorepo is not read as a whole. */
const mostSources = 60;
const testFile = /(^|\/)(tests?|__tests__|spec|perf|examples?|docs?)\/|[._-](test|spec)\.\w+$/i;

/** Texts of source files with one of the endings, the ones nearest to the top first. */
export function sourceTexts(repository: Repository, endings: readonly string[]): readonly string[] {
  const depth = (path: string) => path.split('/').length;
  return repository.paths
    .filter((path) => endings.some((ending) => path.endsWith(ending)) && !testFile.test(path))
    .toSorted((a, b) => depth(a) - depth(b))
    .slice(0, mostSources)
    .flatMap((path) => repository.text(path) ?? []);
}

/** Texts of source files in any language that a service in a container may be of. */
export function serviceSources(repository: Repository): readonly string[] {
  return sourceTexts(repository, ['.js', '.mjs', '.ts', '.py', '.go', '.rs', '.rb', '.java', '.kt']);
}
