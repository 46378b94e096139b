import { type Cell, cellName, type InvalidReason, type Run } from '../model/run.ts';
import { type Comparison, type Verdict, verdictSchemaVersion } from '../model/verdict.ts';
import type { Setting } from '../stats/index.ts';
import { type Base, chooseBase } from './base.ts';
import { endpointsBeyondBase } from './beyond-base.ts';
import { type ComparedCell, invalidCell, judgeCell } from './cell.ts';
import type { ComparisonSetup } from './contrast.ts';
import { judgedMetrics, judgeMatches } from './metric-verdict.ts';
import type { JudgeOptions, RequiredCell } from './options.ts';
import { checkOutcome } from './outcome.ts';
import { cellInvalidity, ofBase, withoutConsequences } from './validity.ts';
import { markWorseEndpoints } from './worse-endpoints.ts';

export interface JudgeInput {
  readonly run: Run;
  readonly base: Base;
  readonly options: JudgeOptions;
  /** ISO 8601. */
  readonly createdAt: string;
  /** Wall time of the check so far. */
  readonly seconds: number;
}

/** A cell on its way to a verdict. */
interface Case {
  readonly required: RequiredCell;
  readonly head: Cell | undefined;
  readonly base: readonly Cell[];
  readonly invalid: readonly InvalidReason[];
  /** Endpoints for whose sake base is left out. */
  readonly beyondBase: readonly string[];
}

/** A case that has something to be compared with, and may be. */
type ComparableCase = Case & { readonly head: Cell };

/** As the fingerprint has it for a run outside of CI. */
const localRunner = 'local';

/** The suite's cells, then whatever else was measured. */
function listCells(run: Run, options: JudgeOptions): readonly RequiredCell[] {
  const known = new Set(options.cells.map(cellName));
  const others = run.cells.filter((cell) => !known.has(cellName(cell)));
  return [
    ...options.cells,
    ...others.map(({ scenario, load, vus }) => ({ scenario, load, vus, objectives: {} })),
  ];
}

type CellsByName = ReadonlyMap<string, Cell>;

/** Of two with one name the first counts. */
function cellsByName({ cells }: Run): CellsByName {
  return new Map(cells.toReversed().map((cell) => [cellName(cell), cell]));
}

/** Where base and head were measured: one machine, or machines alike in all that is compared of the fingerprint. */
function settingOf({ fingerprint }: Run, base: Base, baseRuns: readonly Run[]): Setting {
  const { runner, host } = fingerprint;
  const oneHost = host !== undefined && baseRuns.every((other) => other.fingerprint.host === host);
  return base.kind === 'side-by-side' || runner === localRunner || oneHost ? 'same-machine' : 'other-machine';
}

function openCase(
  ofHead: CellsByName,
  ofRuns: readonly CellsByName[],
  required: RequiredCell,
  inTurn: boolean,
): Case {
  const name = cellName(required);
  const head = ofHead.get(name);
  const base = ofRuns.flatMap((other) => other.get(name) ?? []);
  const ofHeadAlone = { required, head, invalid: cellInvalidity(head) };
  // Stored runs were chosen because they can be trusted; the run that took turns with head was not.
  if (!inTurn) return { ...ofHeadAlone, base, beyondBase: [] };
  const beyondBase = head === undefined ? [] : base.flatMap((cell) => endpointsBeyondBase(cell, head));
  if (beyondBase.length > 0) return { ...ofHeadAlone, base: [], beyondBase };
  const baseInvalid = ofBase(base.flatMap((cell) => cellInvalidity(cell)));
  return { ...ofHeadAlone, base, invalid: [...ofHeadAlone.invalid, ...baseInvalid], beyondBase };
}

function withoutBase(comparison: Comparison, cases: readonly Case[]): Comparison {
  const beyondBase = cases
    .filter((one) => one.beyondBase.length > 0)
    .map((one) => ({ cell: cellName(one.required), endpoints: [...one.beyondBase] }));
  return comparison.kind === 'side-by-side' && beyondBase.length > 0
    ? { ...comparison, beyondBase }
    : comparison;
}

/** The verdicts on the metrics of each comparable case. */
function compareAll(
  cases: readonly Case[],
  setup: ComparisonSetup,
  options: JudgeOptions,
): ReadonlyMap<Case, ComparedCell> {
  const matches = cases.filter(
    (one): one is ComparableCase => one.invalid.length === 0 && one.head !== undefined && one.base.length > 0,
  );
  const verdicts = judgeMatches(matches, setup, judgedMetrics(options), options);
  return new Map(matches.map((match) => [match, { base: match.base, metrics: verdicts.get(match) ?? [] }]));
}

/**
 * Head's run against the base: four outcomes for every cell, and the gravest of them for the check. Depends on
 * nothing but its arguments; .github/adr/0003 has the reasons.
 */
export function judge({ run, base, options, createdAt, seconds }: JudgeInput): Verdict {
  const { runs, comparison: chosen } = chooseBase(run, base);
  const inTurn = base.kind === 'side-by-side';
  const invalid = [...run.invalid, ...(inTurn ? ofBase(base.run.invalid) : [])];
  const [ofHead, ofRuns] = [cellsByName(run), runs.map(cellsByName)];
  const cases = listCells(run, options).map((required) => openCase(ofHead, ofRuns, required, inTurn));
  const comparison = withoutBase(chosen, cases);
  const setup = { setting: settingOf(run, base, runs), interleaved: inTurn, machine: run.fingerprint };
  const compared = invalid.length > 0 ? new Map<Case, ComparedCell>() : compareAll(cases, setup, options);
  const reasons = withoutConsequences(
    cases.map((one) => one.invalid),
    invalid,
  );
  const judged = cases.map((one, index) =>
    invalid.length > 0 || one.invalid.length > 0 || one.head === undefined
      ? invalidCell(one.required, one.head, reasons[index] ?? [])
      : judgeCell(one.required, one.head, compared.get(one), options),
  );
  const matches = new Map([...compared.keys()].map((one) => [cellName(one.required), one]));
  const cells = markWorseEndpoints(
    judged,
    (cell) => {
      const one = matches.get(cellName(cell));
      return one?.head === undefined ? undefined : { head: one.head, base: one.base };
    },
    setup,
    options,
  );
  return {
    schema: verdictSchemaVersion,
    runId: run.id,
    createdAt,
    suite: run.suite,
    outcome: checkOutcome(invalid, cells, comparison),
    comparison,
    cells,
    invalid,
    code: run.code,
    fingerprint: run.fingerprint,
    seconds,
  };
}
