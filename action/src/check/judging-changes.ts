import type { Config } from '../model/config.ts';
import type { JudgingChange } from '../model/verdict.ts';

/** A file that a change adds, changes or removes. Renaming does both: it removes the old name and adds the new one. */
export interface FileChange {
  /** Relative to the top of the repository. */
  readonly path: string;
  /** False if base has no such file. */
  readonly inBase: boolean;
}

type Leaf = string | number | boolean | null | readonly Leaf[];

const mostShown = 20;
const mostNames = 5;

/**
 * What a change does to how it is measured and judged: its settings against those of the base, and the files that shape
 * the load or run the gate. All names and words are the base's own, because the change may be a stranger's.
 */
export function judgingChanges(
  ours: Config,
  theirs: Config | undefined,
  files: readonly FileChange[],
  configPath: string,
): readonly JudgingChange[] {
  const settings = theirs === undefined ? [] : changedSettings(ours, theirs);
  const all = [...settings, ...changedFiles(ours, files, configPath)];
  const hidden = all.length - mostShown;
  return hidden <= 0 ? all : [...all.slice(0, mostShown), { what: 'more', change: `${hidden} of this kind` }];
}

/** By its path, such as `tolerances.p95`. A list of plain values is one setting. */
function settingsOf(value: unknown, path = ''): readonly (readonly [string, Leaf])[] {
  const isPlain = (one: unknown) => one === null || typeof one !== 'object';
  if (isPlain(value) || (Array.isArray(value) && value.every(isPlain))) return [[path, value as Leaf]];
  return Object.entries(value as object)
    .filter(([, one]) => one !== undefined)
    .flatMap(([key, one]) => settingsOf(one, path === '' ? key : `${path}.${key}`));
}

function changedSettings(ours: Config, theirs: Config): readonly JudgingChange[] {
  const before = new Map(settingsOf(ours));
  const after = new Map(settingsOf(theirs));
  const changed = [...before].flatMap(([what, value]): JudgingChange[] => {
    const now = after.get(what);
    if (now === undefined) return [{ what, change: 'removed' }];
    return JSON.stringify(now) === JSON.stringify(value)
      ? []
      : [{ what, change: changeOf(what, value, now) }];
  });
  const added = [...after.keys()].filter((path) => !before.has(path));
  const parts = Map.groupBy(added, (path) => path.split('.', 1)[0] ?? '');
  const news = [...parts].map(([what, paths]) => ({ what, change: countOf(paths.length, 'new setting') }));
  return [...changed, ...news];
}

function changeOf(path: string, before: Leaf, after: Leaf): string {
  if (Array.isArray(before) && Array.isArray(after)) return listChange(before, after);
  const [from, to] = [shownValue(path, before), shownValue(path, after)];
  return from === undefined || to === undefined ? 'changed' : `${from} → ${to}`;
}

/** A number or a flag; undefined for words, which may be a stranger's. */
function shownValue(path: string, value: Leaf): string | undefined {
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number') return undefined;
  const isShare = /^tolerances\.|[sS]hare$|[tT]olerance$/.test(path);
  return isShare ? `${Number((100 * value).toPrecision(6))}%` : String(value);
}

function listChange(before: readonly Leaf[], after: readonly Leaf[]): string {
  const kept = new Set(before.map(String));
  const now = new Set(after.map(String));
  const gone = [...kept].filter((one) => !now.has(one));
  const added = [...now].filter((one) => !kept.has(one)).length;
  const more = gone.length - mostNames;
  const without = `without ${gone.slice(0, mostNames).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const parts = [...(gone.length === 0 ? [] : [without]), ...(added === 0 ? [] : [`${added} added`])];
  return parts.length === 0 ? 'in another order' : parts.join(', ');
}

const workflows = '.github/workflows';

/** As part of a URL, in which a relative path is resolved. */
function encoded(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

function changedFiles(
  { stack, scenarios }: Config,
  files: readonly FileChange[],
  configPath: string,
): readonly JudgingChange[] {
  const folder = configPath.slice(0, Math.max(0, configPath.lastIndexOf('/')));
  const named = (file: string) =>
    decodeURIComponent(new URL(encoded(file), `file:///${encoded(configPath)}`).pathname);
  const compose = stack.compose && named(stack.compose.file);
  // They need not lie in the folder of the configuration, which may be all of the repository.
  const scripts = new Set(Object.values(scenarios).map(({ script }) => named(script)));
  const partOf = (path: string): string | undefined => {
    if (path === configPath) return undefined;
    if (scripts.has(`/${path}`)) return 'scenarios';
    if (`/${path}` === compose || /(?:^|\/)Dockerfile[^/]*$|\.Dockerfile$/.test(path)) return 'stack';
    if (path.startsWith(`${workflows}/`)) return workflows;
    return folder !== '' && path.startsWith(`${folder}/`) ? folder : undefined;
  };
  const shaping = files.filter(({ path }) => partOf(path) !== undefined);
  const known = shaping
    .filter(({ inBase }) => inBase)
    .map(({ path }) => ({ what: path.slice(0, 200), change: 'changed' }));
  const added = Map.groupBy(
    shaping.filter(({ inBase }) => !inBase),
    ({ path }) => partOf(path) ?? '',
  );
  return [
    ...known,
    ...[...added].map(([what, some]) => ({ what, change: countOf(some.length, 'new file') })),
  ];
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
