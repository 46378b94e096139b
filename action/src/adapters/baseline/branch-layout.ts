import { type BaselineRead, baselineSchemaVersion } from '../../model/baseline.ts';
import type { Run } from '../../model/run.ts';
import type { BranchFile, BranchTip, GitBranch } from './branch.ts';
import { parseMarker, parseRun } from './text.ts';

/** Says which schema the branch has; without it, files there are somebody else's. */
export const markerPath = 'baseline.json';
const runFolder = 'runs/';
/** What is longer is not ours, and not worth the memory. */
export const longestFileBytes = 1_000_000;
/** Trailer of the commit message that counts the commits, since a fetch of depth 1 cannot. */
const historyTrailer = 'Perf-Gate-History';

/** What a branch holds. */
export interface BranchContent {
  /** Runs in no order yet. */
  readonly read: BaselineRead;
  readonly runPaths: readonly string[];
}

export const emptyContent: BranchContent = { read: { kind: 'missing' }, runPaths: [] };

/** File of a run. Its id is a safe name already unless it was made elsewhere. */
export function runPath(id: string): string {
  return `${runFolder}${encodeURIComponent(id)}.json`;
}

export function messageOf(run: Run, history: number): string {
  const of = run.code.commit === '' ? '' : ` of ${run.code.commit.slice(0, 12)}`;
  return `perf-gate: add run ${run.id.replace(/\s+/g, ' ')}${of}\n\n${historyTrailer}: ${history}\n`;
}

/** Commits of the branch as its newest commit counts them; 1 if somebody else made it. */
export function historyOf({ message }: BranchTip): number {
  const told = new RegExp(`^${historyTrailer}: (\\d{1,9})$`, 'm').exec(message)?.[1];
  return told === undefined ? 1 : Number(told);
}

/** Reads every file of the branch that is ours. The first one that cannot be read is what is told. */
export async function readContent(
  branch: GitBranch,
  tip: BranchTip,
  branchName: string,
): Promise<BranchContent> {
  const files = await branch.files(tip.commit);
  if (files.length === 0) return emptyContent;
  const runFiles = files.filter(({ path }) => path.startsWith(runFolder) && path.endsWith('.json'));
  const runPaths = runFiles.map(({ path }) => path);
  const placeOf = (file: BranchFile) => `${branchName}:${file.path}`;
  const marker = files.find(({ path }) => path === markerPath);
  if (marker === undefined) {
    const cause = `the branch holds files, but no ${markerPath}: it is not a baseline, or was damaged`;
    return { read: { kind: 'corrupt', place: `${branchName}:${markerPath}`, cause }, runPaths };
  }
  const unfit = [marker, ...runFiles].find(({ plain, bytes }) => !plain || bytes > longestFileBytes);
  if (unfit !== undefined) {
    const cause = unfit.plain ? `the file is too long (${unfit.bytes} bytes)` : 'this is not a plain file';
    return { read: { kind: 'corrupt', place: placeOf(unfit), cause }, runPaths };
  }
  const [markerContent = '', ...texts] = await branch.read([marker, ...runFiles]);
  const parsedMarker = parseMarker(markerContent, placeOf(marker));
  if (parsedMarker.kind !== 'parsed') return { read: parsedMarker, runPaths };
  const runs: Run[] = [];
  for (const [index, file] of runFiles.entries()) {
    const parsed = parseRun(texts[index] ?? '', placeOf(file));
    if (parsed.kind !== 'parsed') return { read: parsed, runPaths };
    if (runPath(parsed.value.id) !== file.path) {
      const cause = `the file holds run ${parsed.value.id}, which is not its name`;
      return { read: { kind: 'corrupt', place: `${placeOf(file)} id`, cause }, runPaths };
    }
    runs.push(parsed.value);
  }
  return { read: { kind: 'found', baseline: { schema: baselineSchemaVersion, runs } }, runPaths };
}
