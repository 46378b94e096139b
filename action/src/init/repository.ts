import { Fault } from '../model/fault.ts';

/** The part of another team's repository that the gate reads. Nothing in it is trusted. */
export interface Repository {
  /** Name of its folder. */
  readonly name: string;
  /** Its default branch; undefined if git does not record one. */
  readonly branch: string | undefined;
  /** Sorted paths of its files, relative to its top, with `/`. Deep levels and generated folders are left out. */
  readonly paths: readonly string[];
  /** Content of a file; undefined if it is missing, is not text, or is too large to be written by hand. */
  readonly text: (path: string) => string | undefined;
}

/** Text of a file that says how the service runs. An unreadable one is an error, never skipped. */
export function manifestText(repository: Repository, path: string): string | undefined {
  if (!repository.paths.includes(path)) return undefined;
  const text = repository.text(path);
  if (text !== undefined) return text;
  throw unreadable(path, 'the file is not UTF-8 text, or it is larger than 256 KiB');
}

export function unreadable(place: string, cause: string): Fault {
  return new Fault({
    code: 'E_INIT_READ',
    kind: 'usage',
    place,
    cause,
    nextStep: 'fix it, or write perf/gate.yml by hand: the README of perf-gate shows one',
  });
}

/** Several services are possible, or none has the requested name. */
export function serviceFault(place: string, names: readonly string[], requested: string | undefined): Fault {
  const known = names.slice(0, 10).join(', ');
  return new Fault({
    code: 'E_INIT_SERVICE',
    kind: 'usage',
    place,
    cause:
      requested === undefined
        ? `several services are possible: ${known}`
        : `no service is called ${requested}${known === '' ? '' : `; these are possible: ${known}`}`,
    nextStep: names.length === 0 ? 'leave out --service' : `choose one, such as --service ${names[0]}`,
  });
}

/** Covers the entry and the routes of a service without reading a whole monorepo. */
const maxSources = 60;
const testFile = /(^|\/)(tests?|__tests__|spec|perf|examples?|docs?)\/|[._-](test|spec)\.\w+$/i;

/** Texts of source files with one of the endings. Files nearest to the top come first. */
export function sourceTexts(repository: Repository, endings: readonly string[]): readonly string[] {
  const depth = (path: string) => path.split('/').length;
  return repository.paths
    .filter((path) => endings.some((ending) => path.endsWith(ending)) && !testFile.test(path))
    .toSorted((a, b) => depth(a) - depth(b))
    .slice(0, maxSources)
    .flatMap((path) => repository.text(path) ?? []);
}

/** Texts of source files in every language that a containerised service may use. */
export function serviceSources(repository: Repository): readonly string[] {
  return sourceTexts(repository, ['.js', '.mjs', '.ts', '.py', '.go', '.rs', '.rb', '.java', '.kt']);
}
