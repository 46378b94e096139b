import { type BaselineRead, baselineSchemaVersion } from '../../model/baseline.ts';
import type { Pin } from '../../model/pin.ts';
import type { Run } from '../../model/run.ts';
import { parseMarker, parseRun } from './baseline-json.ts';
import type { BranchTip, GitBranch } from './branch.ts';
import { type PinText, pinFile, pinFolder } from './pins.ts';

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

/** What a commit does, in its first line. */
export const subjects = {
  add: (run: Run) => `add run ${oneLine(run.id)}${ofCommit(run)}`,
  remove: (id: string) => `remove run ${oneLine(id)}`,
  pin: ({ name, run }: Pin) => `pin run ${oneLine(run.id)}${ofCommit(run)} as ${name}`,
  unpin: (name: string) => `unpin ${oneLine(name)}`,
} as const;

function ofCommit({ code }: Run): string {
  return code.commit === '' ? '' : ` of ${code.commit.slice(0, 12)}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

export function commitMessage(subject: string, history: number): string {
  return `perf-gate: ${subject}\n\n${historyTrailer}: ${history}\n`;
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

export function pinPath(name: string): string {
  return `${pinFolder}/${pinFile(name)}`;
}

/** The texts of all pins. A file that is not plain, or too long, has none, so it reads as damaged. */
export async function readPinTexts(
  branch: GitBranch,
  tip: BranchTip,
  branchName: string,
): Promise<readonly PinText[]> {
  const files = (await branch.files(tip.commit)).filter(({ path }) => path.startsWith(`${pinFolder}/`));
  const readable = files.filter(({ plain, bytes }) => plain && bytes <= mostFileBytes);
  const texts = await branch.read(readable);
  return files.map((file) => ({
    place: `${branchName}:${file.path}`,
    file: file.path.slice(pinFolder.length + 1),
    text: texts[readable.indexOf(file)] ?? '',
  }));
}
