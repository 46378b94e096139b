import { anyCell, type CatalogueResult, type CatalogueRow, type Regression } from '../../model/catalogue.ts';
import { cellName } from '../../model/run.ts';
import { sparedCells, type Verdict } from '../../model/verdict.ts';

/** What a check of a patch ended with. */
export type Checked =
  | {
      readonly kind: 'verdict';
      readonly verdict: Verdict;
      /** What the report says about the cause, most important first. */
      readonly said: readonly string[];
      /** ISO 8601, UTC. */
      readonly measuredAt: string;
      /** That the patch was applied to. */
      readonly commit: string;
    }
  | { readonly kind: 'failed'; readonly why: string };

/** The row of a regression: whether its check said what is expected of it. */
export function rowOf(name: string, regression: Regression, checked: Checked): CatalogueRow {
  const { title, story, suite, expect, because, red: wanted } = regression;
  const about = {
    name,
    title,
    suite,
    expect,
    wanted,
    ...(story !== undefined && { story }),
    ...(because !== undefined && { because }),
  };
  if (checked.kind === 'failed') return { ...about, result: 'failed', red: [], why: checked.why };
  const { verdict, said, measuredAt, commit } = checked;
  const { cpuModel, cpuCount, memoryGiB } = verdict.fingerprint;
  const cause = causeOf(regression, verdict, said);
  const spared = sparedCells(verdict);
  return {
    ...about,
    ...resultOf(regression, verdict, cause),
    outcome: verdict.outcome,
    red: redNames(verdict),
    ...(spared.length > 0 && { spared }),
    ...(cause.text !== undefined && { cause: cause.text }),
    minutes: verdict.seconds / 60,
    measuredAt,
    commit,
    machine: { cpuModel, cpuCount, memoryGiB },
  };
}

interface FoundCause {
  readonly isNamed: boolean;
  readonly text: string | undefined;
}

/** The expected words if the verdict has them, or else what it says first. */
function causeOf({ expect, cause }: Regression, verdict: Verdict, said: readonly string[]): FoundCause {
  const reasons = [...verdict.invalid, ...verdict.cells.flatMap(({ invalid }) => invalid)];
  const texts = expect === 'invalid' ? reasons.map(({ code }) => code) : said;
  const found = cause.find((words) => texts.some((text) => hasWords(text, words)));
  return { isNamed: found !== undefined, text: found ?? texts[0] };
}

/** Whole words only: `trip-detail` does not name a class `Tail`. */
function hasWords(text: string, words: string): boolean {
  const literal = words.replaceAll(/[^\w\s]/g, '\\$&');
  return new RegExp(`(?<![\\w-])${literal}(?![\\w-])`, 'i').test(text);
}

/** True if what the report says about a verdict has the expected words. */
export function namesCause(regression: Regression, verdict: Verdict, said: readonly string[]): boolean {
  return causeOf(regression, verdict, said).isNamed;
}

/** Cells that regressed, and groups whose cells did not on their own. */
function redNames({ cells, groups }: Verdict): readonly string[] {
  const red = cells.filter(({ outcome }) => outcome === 'regression').map(cellName);
  const grouped = groups.filter(
    (group) => group.outcome === 'regression' && !group.cells.some((one) => red.includes(one)),
  );
  return [...red, ...grouped.map(({ scenario }) => scenario ?? anyCell)];
}

function covers(name: string, red: string): boolean {
  return name === anyCell || name === red || (!name.includes('@') && red.startsWith(`${name}@`));
}

function resultOf(
  { expect, red: wanted, green }: Regression,
  verdict: Verdict,
  cause: FoundCause,
): { readonly result: CatalogueResult; readonly why?: string } {
  const { outcome } = verdict;
  const found = (result: CatalogueResult, why?: string) => ({ result, ...(why !== undefined && { why }) });
  const wrongCause = found('wrong cause', `the verdict names ${cause.text ?? 'none'}`);
  const red = redNames(verdict);
  // A red group of all cells names no scenario, so only a green `*` forbids it.
  const wrong = red.filter((one) => green.some((name) => covers(name, one)));
  if (wrong.length > 0) return found('wrongly red', `${wrong.join(', ')} must not turn red`);
  if (expect !== 'regression') {
    if (outcome === 'regression') return found('wrongly red', 'no regression is expected');
    if (expect === 'pass' && (outcome === 'pass' || outcome === 'coarse')) return found('as expected');
    if (expect !== outcome) return found('no answer', `the outcome is ${outcome}, and ${expect} is expected`);
    return cause.isNamed ? found('as expected') : wrongCause;
  }
  if (outcome === 'pass' || outcome === 'coarse') return found('missed', `the outcome is ${outcome}`);
  if (outcome !== 'regression') return found('no answer', `the outcome is ${outcome}`);
  // A red group stands for each of its cells. Those that only count costs are not among them.
  const together = verdict.groups.filter(({ scenario }) => red.includes(scenario ?? anyCell));
  const all = [...red, ...together.flatMap((group) => group.cells)];
  const isRed = (name: string) => all.some((one) => covers(name, one));
  const isSpared = (name: string) => sparedCells(verdict).some((one) => covers(name, one));
  const still = wanted.some(isRed) ? wanted.filter((name) => !isRed(name) && !isSpared(name)) : wanted;
  if (still.length > 0) return found('wrong scenario', `${still.join(', ')} did not turn red`);
  return cause.isNamed ? found('caught') : wrongCause;
}
