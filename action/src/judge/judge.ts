import { isTakenCpu } from '../model/invalid-reason.ts';
import { type Cell, cellName, type InvalidReason, type Run } from '../model/run.ts';
import { type CellVerdict, type Comparison, type Verdict, verdictSchemaVersion } from '../model/verdict.ts';
import { invalidCell, judgeCell, judgeDisturbed } from './cell.ts';
import { type Base, chooseBase } from './comparable/base.ts';
import { droppedReasons } from './comparable/dropped.ts';
import { atSpeedOf } from './comparable/same-speed.ts';
import {
  type CellsByName,
  cellInvalidity,
  cellsByName,
  endpointsFailingInBase,
  inBase,
  reasonsBehind,
  withoutConsequences,
} from './comparable/validity.ts';
import type { Match, Setup } from './contrast/contrast.ts';
import { judgeGroups } from './groups.ts';
import type { JudgeOptions, RequiredCell } from './options.ts';
import { checkOutcome } from './outcome.ts';
import { type Again, type MeasuredCell, measureFirst } from './second-measurement.ts';
import { withUnanswered } from './unanswered.ts';
import { findWorseEndpoints, markWorseEndpoints } from './worse-endpoints.ts';

export interface JudgeContext {
  readonly options: JudgeOptions;
  /** ISO 8601. */
  readonly createdAt: string;
  /** Wall time of the check so far. */
  readonly seconds: number;
}

interface FirstInput extends JudgeContext {
  readonly run: Run;
  readonly base: Base;
}

interface JudgeInput extends FirstInput {
  readonly again?: Again;
}

/** A cell on its way to a verdict. */
interface Case {
  readonly required: RequiredCell;
  readonly head: Cell | undefined;
  readonly base: readonly Cell[];
  readonly newest?: Cell;
  readonly invalid: readonly InvalidReason[];
  /** Endpoints that fail in base; the cell is then not compared. */
  readonly failingInBase: readonly string[];
}

/** The runner of a run outside of CI, as in the fingerprint. */
const localRunner = 'local';

/** The suite's cells, then whatever else was measured. */
function listCells(run: Run, { cells }: JudgeOptions): readonly RequiredCell[] {
  const known = new Set(cells.map(cellName));
  const others = run.cells.filter((cell) => !known.has(cellName(cell)));
  return [...cells, ...others.map(({ scenario, load, vus }) => ({ scenario, load, vus, objectives: {} }))];
}

/** Whether base and head ran on one machine, or on machines with the same compared parts of the fingerprint. */
function settingOf({ fingerprint }: Run, base: Base, baseRuns: readonly Run[]): Setup['setting'] {
  const { runner, host } = fingerprint;
  const oneHost = host !== undefined && baseRuns.every((other) => other.fingerprint.host === host);
  return base.kind === 'side-by-side' || runner === localRunner || oneHost ? 'same-machine' : 'other-machine';
}

function openCase(
  required: RequiredCell,
  headCells: CellsByName,
  baseRuns: readonly CellsByName[],
  interleaved: boolean,
): Case {
  const name = cellName(required);
  const head = headCells.get(name);
  const base = baseRuns.flatMap((run) => run.get(name) ?? []);
  const invalid = cellInvalidity(head);
  const dropped = head === undefined ? [] : droppedReasons(base, head);
  // Stored runs were chosen because they can be trusted. An interleaved run was not.
  if (!interleaved) {
    return { required, head, base, invalid: [...invalid, ...dropped], failingInBase: [] };
  }
  const failingInBase = head === undefined ? [] : base.flatMap((cell) => endpointsFailingInBase(cell, head));
  if (failingInBase.length > 0) return { required, head, base: [], invalid, failingInBase };
  const baseInvalid = inBase(base.flatMap(cellInvalidity));
  return { required, head, base, invalid: [...invalid, ...baseInvalid, ...dropped], failingInBase };
}

/** The comparison with the cells that base fails in, if there are any. */
function describeComparison(comparison: Comparison, cases: readonly Case[]): Comparison {
  const beyondBase = cases
    .filter(({ failingInBase }) => failingInBase.length > 0)
    .map(({ required, failingInBase }) => ({ cell: cellName(required), endpoints: [...failingInBase] }));
  return comparison.kind === 'side-by-side' && beyondBase.length > 0
    ? { ...comparison, beyondBase }
    : comparison;
}

/** A trusted cell with something to compare it with. */
function matchOf({ invalid, head, base, newest }: Case): Match[] {
  if (invalid.length > 0 || head === undefined || base.length === 0) return [];
  return [{ head, base, ...(newest && { newest }), history: [] }];
}

/** Each cell's name with what is known about it. */
function byCell(measured: readonly MeasuredCell[]): ReadonlyMap<string, MeasuredCell> {
  return new Map(measured.map((cell) => [cellName(cell.match.head), cell]));
}

/**
 * Compares head's run with base: an outcome for every cell, and the most serious one for the check. Depends on nothing
 * but its arguments. `.github/adr/0003` has the reasons.
 */
export function judge({ again, ...first }: JudgeInput): Verdict {
  return judgeRun(first)(again);
}

/** As `judge`. What the second measurement does not change is worked out once, however often there is more of it. */
export function judgeRun({ run, base, options, createdAt, seconds }: FirstInput): (again?: Again) => Verdict {
  const chosen = chooseBase(run, base, (comparable) =>
    options.anySpeed ? comparable : atSpeedOf(run, comparable, options.signals),
  );
  const { runs, newest } = chosen;
  const interleaved = base.kind === 'side-by-side';
  const invalid = [...run.invalid, ...(interleaved ? inBase(base.run.invalid) : [])];
  const [headCells, baseRuns] = [cellsByName(run), runs.map(cellsByName)];
  const newestCells = newest && cellsByName(newest);
  const cases = listCells(run, options).map((cell): Case => {
    const accepted = newestCells?.get(cellName(cell));
    return { ...openCase(cell, headCells, baseRuns, interleaved), ...(accepted && { newest: accepted }) };
  });
  const comparison = describeComparison(chosen.comparison, cases);
  const setup: Setup = { setting: settingOf(run, base, runs), interleaved, machine: run.fingerprint };
  const comparable = invalid.length > 0 ? [] : cases.flatMap(matchOf);
  const reasons = withoutConsequences(
    cases.map((one) => one.invalid),
    invalid,
  );
  const judgeCase = (one: Case, index: number, compared: MeasuredCell | undefined) => {
    if (invalid.length > 0 || one.invalid.length > 0 || one.head === undefined) {
      const cell = invalidCell(
        one.required,
        one.head,
        reasons[index] ?? [],
        reasonsBehind(index, reasons, invalid),
      );
      return one.head !== undefined && [...invalid, ...one.invalid].every(isTakenCpu)
        ? judgeDisturbed(cell, { ...one, head: one.head }, options, setup)
        : cell;
    }
    return judgeCell(one.required, one.head, compared, options);
  };
  const measure = measureFirst(comparable, setup, options, run);
  const alone = byCell(measure());
  const judgedAlone = cases.map((one, index) => judgeCase(one, index, alone.get(cellName(one.required))));
  const matchIn = (cell: CellVerdict) => alone.get(cellName(cell))?.match;
  const worseEndpoints = options.skipsEndpoints
    ? () => []
    : findWorseEndpoints(judgedAlone, matchIn, setup, options);
  return (again) => {
    const measured = measure(again);
    const compared = byCell(measured);
    const judged = judgedAlone.map((verdict, index) => {
      const [name, one] = [cellName(verdict), cases[index]];
      const own = compared.get(name);
      return one === undefined || own === alone.get(name) ? verdict : judgeCase(one, index, own);
    });
    const answered = withUnanswered(judged, again);
    const cells = markWorseEndpoints(answered, worseEndpoints);
    const trusted = new Set(cells.filter((cell) => cell.invalid.length === 0).map(cellName));
    const groups = judgeGroups(
      measured.filter(({ match }) => trusted.has(cellName(match.head))),
      options,
    );
    return {
      schema: verdictSchemaVersion,
      runId: run.id,
      createdAt,
      suite: run.suite,
      outcome: checkOutcome(invalid, [...cells, ...groups], comparison),
      comparison,
      cells,
      groups,
      invalid,
      code: run.code,
      fingerprint: run.fingerprint,
      seconds,
      ...(run.replacedOptions && { replacedOptions: run.replacedOptions }),
    };
  };
}
