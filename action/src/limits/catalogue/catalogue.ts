import {
  anyCell,
  type Catalogue,
  type CatalogueRow,
  isOpen,
  type Regression,
} from '../../model/catalogue.ts';
import { Fault } from '../../model/fault.ts';
import { cellName } from '../../model/run.ts';
import { type Checked, rowOf } from './row-of.ts';

/** A regression that was asked for. */
export interface NamedRegression {
  readonly name: string;
  readonly regression: Regression;
}

/** What a check ended with, and how that is kept for the next call. */
export interface Measured {
  readonly checked: Checked;
  readonly keep: () => Promise<void>;
}

export interface CataloguePort {
  /** What an earlier check of the same patch and the same code ended with; undefined if there is none. */
  kept(one: NamedRegression): Promise<Checked | undefined>;
  /** Stores runs of the code without a patch, unless there are some to compare with. */
  storeBaseline(suite: string): Promise<void>;
  /** Applies the patch to the code and checks it. Throws a Fault if it cannot be applied, built or measured. */
  check(one: NamedRegression): Promise<Measured>;
  note(text: string): void;
}

/** The regressions of those names in the catalogue's order; all of them without a name. */
export function namedRegressions(
  { regressions }: Catalogue,
  names: readonly string[],
  place: string,
): readonly NamedRegression[] {
  const unknown = names.find((name) => !Object.hasOwn(regressions, name));
  if (unknown !== undefined) {
    throw new Fault({
      code: 'E_CATALOGUE_NAME',
      kind: 'usage',
      place,
      cause: `it has no regression "${unknown}"`,
      nextStep: `name one of: ${Object.keys(regressions).join(', ')}`,
    });
  }
  return Object.entries(regressions)
    .filter(([name]) => names.length === 0 || names.includes(name))
    .map(([name, regression]) => ({ name, regression }));
}

/** Refuses a regression that names a scenario or cell which its suite lacks: it could neither turn red nor stay green. */
export function requireKnownNames(
  { name, regression }: NamedRegression,
  cells: readonly Parameters<typeof cellName>[0][],
  place: string,
): void {
  const known = [anyCell, ...cells.flatMap((cell) => [cellName(cell), cell.scenario])];
  const unknown = [...regression.red, ...regression.green].find((one) => !known.includes(one));
  if (unknown === undefined) return;
  throw new Fault({
    code: 'E_CATALOGUE_CELL',
    kind: 'usage',
    place,
    cause: `${name} names "${unknown}", which suite ${regression.suite} does not have`,
    nextStep: `write one of: ${[...new Set(known)].join(', ')}`,
  });
}

/** Checks one regression after the other. Each row is added as soon as it is known. */
export async function catalogue(
  wanted: readonly NamedRegression[],
  { again }: { readonly again: boolean },
  port: CataloguePort,
  into: CatalogueRow[],
): Promise<void> {
  for (const [index, one] of wanted.entries()) {
    const row = (await keptRow(one, again, port)) ?? (await measuredRow(one, port));
    into.push(row);
    port.note(
      `${index + 1} of ${wanted.length}, ${one.name}: ${row.result}${row.why === undefined ? '' : `, ${row.why}`}`,
    );
  }
}

async function keptRow(
  one: NamedRegression,
  again: boolean,
  port: CataloguePort,
): Promise<CatalogueRow | undefined> {
  const kept = again ? undefined : await port.kept(one);
  const row = kept && rowOf(one.name, one.regression, kept);
  return row === undefined || isOpen(row) ? undefined : row;
}

async function measuredRow(one: NamedRegression, port: CataloguePort): Promise<CatalogueRow> {
  // If the baseline fails, the patch is not to blame, and the next one would fail too.
  await port.storeBaseline(one.regression.suite);
  const { checked, keep } = await checkedOrFailed(one, port);
  // If that fails, the patch is not to blame, and the results of the next one could not be kept either.
  await keep();
  return rowOf(one.name, one.regression, checked);
}

async function checkedOrFailed(one: NamedRegression, port: CataloguePort): Promise<Measured> {
  try {
    return await port.check(one);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { code, cause, logTail = [] } = error.details;
    const log = logTail.filter((line) => line.trim() !== '');
    for (const line of log) port.note(`${one.name}, log: ${line}`);
    const why = [`${cause} (${code})`, ...log.slice(-1)].join(': ');
    return { checked: { kind: 'failed', why }, keep: () => Promise.resolve() };
  }
}
