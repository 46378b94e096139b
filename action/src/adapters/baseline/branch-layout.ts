import { type BaselineRead, baselineSchemaVersion } from '../../model/baseline.ts';
import type { Run } from '../../model/run.ts';
import { parseMarker, parseRun } from './baseline-json.ts';
import type { BranchTip, GitBranch } from './branch.ts';

/** Names the schema of the branch; without it, the files on the branch belong to something else. */
export const markerPath = 'baseline.json';
const runFolder = 'runs/';
/** The gate writes no longer file, so a longer one is not read into memory. */
export const mostFileBytes = 1_000_000;
/** Trailer of the commit message that counts the commits, because a fetch of depth 1 cannot. */
const historyTrailer = 'Perf-Gate-History';

export interface BranchContent {
  /** Its runs are in no particular order. */
  readonly read: BaselineRead;
  readonly runPaths: readonly string[];
}

export const emptyContent: BranchContent = { read: { kind: 'missing' }, runPaths: [] };

/** Path of a run's file. Encoding changes only ids that another program made. */
export function runPath(id: string): string {
  return `${runFolder}${encodeURIComponent(id)}.json`;
}

export function commitMessage(run: Run, history: number): string {
  const suffix = run.code.commit === '' ? '' : ` of ${run.code.commit.slice(0, 12)}`;
  return `perf-gate: add run ${run.id.replace(/\s+/g, ' ')}${suffix}\n\n${historyTrailer}: ${history}\n`;
}

/** Number of commits on the branch according to its newest commit; 1 if another program made that. */
export function historyLength({ message }: BranchTip): number {
  return Number(new RegExp(`^${historyTrailer}: (\\d{1,9})$`, 'm').exec(message)?.[1] ?? 1);
}

/** Reads the marker and every run. The first file that cannot be read decides the answer. */
export async function readContent(
  branch: GitBranch,
  tip: BranchTip,
  branchName: string,
): Promise<BranchContent> {
  const files = await branch.files(tip.commit);
  if (files.length === 0) return emptyContent;
  const runFiles = files.filter(({ path }) => path.startsWith(runFolder) && path.endsWith('.json'));
  const answer = (read: BaselineRead) => ({ read, runPaths: runFiles.map(({ path }) => path) });
  const placeOf = (path: string) => `${branchName}:${path}`;
  const corrupt = (place: string, cause: string) => answer({ kind: 'corrupt', place, cause });

  const marker = files.find(({ path }) => path === markerPath);
  if (marker === undefined) {
    const cause = `the branch has files but no ${markerPath}, so it is damaged or not a baseline`;
    return corrupt(placeOf(markerPath), cause);
  }
  for (const { path, plain, bytes } of [marker, ...runFiles]) {
    if (!plain) return corrupt(placeOf(path), 'this is not a plain file');
    if (bytes > mostFileBytes) return corrupt(placeOf(path), `the file is too long (${bytes} bytes)`);
  }
  const [markerContent = '', ...texts] = await branch.read([marker, ...runFiles]);
  const parsedMarker = parseMarker(markerContent, placeOf(markerPath));
  if (parsedMarker.kind !== 'parsed') return answer(parsedMarker);
  const runs: Run[] = [];
  for (const [index, { path }] of runFiles.entries()) {
    const parsed = parseRun(texts[index] ?? '', placeOf(path));
    if (parsed.kind !== 'parsed') return answer(parsed);
    const { id } = parsed.value;
    if (runPath(id) !== path) {
      return corrupt(`${placeOf(path)} id`, `the file holds run ${id}, which does not match its name`);
    }
    runs.push(parsed.value);
  }
  return answer({ kind: 'found', baseline: { schema: baselineSchemaVersion, runs } });
}
