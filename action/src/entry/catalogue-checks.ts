import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { loadConfig } from '../adapters/config/index.ts';
import { commitPatch, freshCheckout, hashOfCommit, removeCheckout } from '../adapters/git/index.ts';
import { createSystemClock } from '../adapters/host/index.ts';
import { type KeptCheck, readKeptCheck, writeKeptCheck, writeReports } from '../adapters/results/index.ts';
import { readStoredRuns } from '../check/index.ts';
import { differencesBetween, type Measurements } from '../judge/index.ts';
import {
  type CataloguePort,
  type Checked,
  type Measured,
  type NamedRegression,
  namesCause,
} from '../limits/catalogue/index.ts';
import type { ProgressListener } from '../measure/index.ts';
import type { CheckMode } from '../model/check-mode.ts';
import type { StackKind } from '../model/config.ts';
import { Fault } from '../model/fault.ts';
import type { Fingerprint, Run } from '../model/run.ts';
import type { Verdict } from '../model/verdict.ts';
import { causeTexts, reporters } from '../report/index.ts';
import { type BaselineAccess, openBaseline } from './baseline-store.ts';
import { checkFiles, type NextSteps } from './check-report.ts';
import { gitIn } from './checkout-git.ts';
import { resultFolders } from './config-folders.ts';
import { type CheckRequest, type FinishedCheck, runCheck } from './run-check.ts';
import type { Settings } from './settings.ts';
import { pathIn, uncommittedFile } from './uncommitted-file.ts';
import { openWorkspace } from './workspace.ts';

export interface CatalogueRequest {
  /** Path of gate.yml. */
  readonly configPath: string;
  readonly stack: StackKind | undefined;
  /** What this is measured on. Without a run that was stored on the same, one is measured first. */
  readonly conditions: Partial<Fingerprint>;
  /** The commit that every patch is applied to. */
  readonly commit: string;
  /** Folder of the patches. */
  readonly patches: string;
  /** What the pages of the checks suggest. */
  readonly next: NextSteps;
  /** Gets every head that was measured with the name of its patch, and the code without a patch under an empty name. */
  readonly keepRun: (name: string, measured: Pick<Measurements, 'run' | 'base'>) => Promise<void>;
}

function patchFile(folder: string, name: string): string {
  return join(folder, `${name}.patch`);
}

/** Whether a file of the repository can change what a check measures. `results` are folders that cannot. */
export function isMeasured(path: string, results: readonly string[]): boolean {
  const isIn = (folder: string) => path.startsWith(`${folder}/`);
  return !results.some(isIn) && !isIn('.github') && !path.endsWith('.md');
}

/** Refuses names without a patch, before minutes of measuring. */
export function requirePatches(folder: string, wanted: readonly NamedRegression[]): void {
  const missing = wanted.map(({ name }) => patchFile(folder, name)).find((path) => !existsSync(path));
  if (missing === undefined) return;
  throw new Fault({
    code: 'E_CATALOGUE_PATCH',
    kind: 'usage',
    place: missing,
    cause: 'no such file, but regressions.yml names it',
    nextStep: 'write the patch, or remove its entry',
  });
}

/** Refuses a checkout with an uncommitted file. */
export async function requireCommitted(...where: Parameters<typeof uncommittedFile>): Promise<void> {
  const first = await uncommittedFile(...where);
  if (first === undefined) return;
  throw new Fault({
    code: 'E_CATALOGUE_DIRTY',
    kind: 'usage',
    place: first,
    cause: 'this file is new or differs from HEAD, and each patch is checked on top of HEAD',
    nextStep: 'commit the change, or undo it; git may also ignore a new file that no check needs',
  });
}

/** Checks patches in a work tree of their own. `close` removes it. */
export async function openCatalogueChecks(
  { configPath, stack, conditions, commit, patches, next, keepRun }: CatalogueRequest,
  settings: Settings,
  onProgress: ProgressListener,
  signal: AbortSignal,
): Promise<CataloguePort & { readonly close: () => Promise<void>; readonly pages: string }> {
  const { root, env, workingDirectory } = settings;
  const { baselineDirectory } = openWorkspace(root, '');
  const keptIn = join(root, '.perf-gate', 'catalogue');
  const tree = join(keptIn, 'checkout');
  const git = gitIn(root, env, signal);
  const results = resultFolders(dirname(patches)).map((folder) => pathIn(root, folder));
  const codeOf = (of: string) => hashOfCommit(git, of, (path) => isMeasured(path, results));
  const code = (await codeOf(commit)) ?? '';
  const config = resolve(workingDirectory, configPath);
  const askedFor = (name: string) =>
    createHash('sha256')
      .update(readFileSync(patchFile(patches, name)))
      .update(`\0${pathIn(root, config)}\0${stack ?? ''}`)
      .digest('hex');
  const { store } = openBaseline({ store: 'file', mayWrite: [] }, loadConfig(config).config.baseline, {
    root,
    env,
    clock: createSystemClock(),
    signal,
  });
  const note = (text: string) => onProgress({ kind: 'note', text });

  const run = async (
    mode: CheckMode,
    { mayWrite, ...asked }: Pick<CheckRequest, 'suite' | 'isExplained'> & Pick<BaselineAccess, 'mayWrite'>,
  ) => {
    const finished = await runCheck(
      {
        configPath: join(tree, relative(root, config)),
        mode,
        baseRef: commit,
        vuFactor: 1,
        stack,
        baseline: { store: 'file', directory: baselineDirectory, mayWrite },
        ...asked,
      },
      { ...settings, root: tree },
      onProgress,
      signal,
    );
    // The verdict on a part would be kept as that of the patch.
    if (finished.cutShort !== undefined) throw finished.cutShort.cause;
    return finished;
  };

  const freshTree = async () => {
    await freshCheckout(git, commit, tree);
    rmSync(openWorkspace(tree, '').resultDirectory, { recursive: true, force: true });
  };

  return {
    pages: join(relative(workingDirectory, keptIn), 'NAME.html'),
    note,
    async kept({ name, regression }): Promise<Checked | undefined> {
      const kept = await readKeptCheck(keptIn, name);
      if (kept === undefined || kept.code !== code || kept.patch !== askedFor(name)) return undefined;
      return kept.verdict.suite === regression.suite ? checkedOf(kept) : undefined;
    },
    async storeBaseline(suite) {
      for (const one of (await readStoredRuns(store)).filter(isComparable(suite, conditions))) {
        if (!one.code.dirty && (await codeOf(one.code.commit)) === code) return;
      }
      note(`no comparable run of suite ${suite} of this code is stored, so it is measured first`);
      await freshTree();
      const finished = await run('record', { suite, mayWrite: ['file'] });
      if (finished.notStored !== undefined) throw finished.notStored;
      if (!finished.stored) throw noBaseline(suite, finished.verdict);
      await keepRun('', finished.measured);
    },
    async check({ name, regression }: NamedRegression): Promise<Measured> {
      // Somebody may edit the patch while it is measured.
      const patch = askedFor(name);
      await freshTree();
      await commitPatch(git.in(tree), patchFile(patches, name), name);
      // A profile only adds to a cause that is named already, and may take half of a check's time.
      const isExplained = (verdict: Verdict) => namesCause(regression, verdict, causeTexts(verdict));
      const finished = await run('auto', { suite: regression.suite, mayWrite: [], isExplained });
      const { verdict } = finished;
      const measuredAt = new Date().toISOString();
      const kept: KeptCheck = { schema: 1, code, patch, measuredAt, commit, verdict };
      const keep = async () => {
        // What is not kept in the end is measured again, so this comes before what says that it need not be.
        await keepRun(name, finished.measured);
        await keepPage(keptIn, name, finished, next);
        await writeKeptCheck(keptIn, name, kept);
      };
      return { checked: checkedOf(kept), keep };
    },
    // Also after an interruption, which ends all other calls of git.
    close: () => removeCheckout(gitIn(root, env, new AbortController().signal), tree),
  };
}

function checkedOf({ verdict, measuredAt, commit }: KeptCheck): Checked {
  return { kind: 'verdict', verdict, said: causeTexts(verdict), measuredAt, commit };
}

/** Whether a stored run of the suite may be compared with one that is measured under these conditions. */
function isComparable(suite: string, conditions: Partial<Fingerprint>): (stored: Run) => boolean {
  return (stored) => {
    const fingerprint = { ...stored.fingerprint, ...conditions };
    return differencesBetween(stored, { suite, fingerprint }).length === 0;
  };
}

/** The page of the check, since its own folder goes with the work tree. */
async function keepPage(
  folder: string,
  name: string,
  finished: FinishedCheck,
  next: NextSteps,
): Promise<void> {
  const pages = checkFiles(finished, next, `${name}.json`).filter(
    (file) => file.name === reporters.page.file,
  );
  await writeReports(
    folder,
    pages.map(({ text }) => ({ name: `${name}.html`, text })),
  );
}

function noBaseline(suite: string, { outcome }: Verdict): Fault {
  return new Fault({
    code: 'E_CATALOGUE_BASELINE',
    kind: 'measurement',
    place: `suite ${suite}`,
    cause: `the code without a patch could not be stored as a baseline, because its run is ${outcome}`,
    nextStep: `run \`gate baseline --suite ${suite}\` to see why, and start the catalogue again once it stores a run`,
  });
}
