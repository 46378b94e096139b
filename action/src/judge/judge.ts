import { type Cell, cellName, type InvalidReason, type Run } from '../model/run.ts';
import { type CellVerdict, type Comparison, type Verdict, verdictSchemaVersion } from '../model/verdict.ts';
import { type Base, chooseBase } from './base.ts';
import { type ComparedCell, invalidCell, judgeCell } from './cell.ts';
import type { Match } from './contrast.ts';
import { confirmCosts, isSuspectByCost } from './costs.ts';
import { judgeGroups } from './groups.ts';
import { contrastMatches, type Setup } from './machine-speed.ts';
import { judgeContrasts, judgedMetrics } from './metric-verdict.ts';
import { mixReasons } from './mix.ts';
import type { JudgeOptions, RequiredCell } from './options.ts';
import { checkOutcome, mostSerious } from './outcome.ts';
import { compareSignals } from './signals.ts';
import {
  cellInvalidity,
  endpointsFailingInBase,
  inBase,
  judgedCell,
  reasonsBehind,
  withoutConsequences,
} from './validity.ts';
import { markWorseEndpoints } from './worse-endpoints.ts';

export interface JudgeContext {
  readonly options: JudgeOptions;
  /** ISO 8601. */
  readonly createdAt: string;
  /** Wall time of the check so far. */
  readonly seconds: number;
}

/** Suspect cells, measured once more: base and head interleaved, after fresh boots. */
export interface Again {
  /** Names of the cells that were to be measured again. */
  readonly suspects: readonly string[];
  readonly base: Run;
  readonly head: Run;
}

interface JudgeInput extends JudgeContext {
  readonly run: Run;
  readonly base: Base;
  readonly again?: Again;
}

/** A cell on its way to a verdict. */
interface Case {
  readonly required: RequiredCell;
  readonly head: Cell | undefined;
  readonly base: readonly Cell[];
  /** Stored runs of the cell, for what they show about noise; empty where they are the base themselves. */
  readonly history: readonly Cell[];
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

type CellsByName = ReadonlyMap<string, Cell>;

/** Of two cells with one name the first counts. */
function cellsByName({ cells }: Run): CellsByName {
  return new Map(cells.toReversed().map((cell) => [cellName(cell), judgedCell(cell)]));
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
  history: readonly Cell[],
  interleaved: boolean,
): Case {
  const name = cellName(required);
  const head = headCells.get(name);
  const base = baseRuns.flatMap((run) => run.get(name) ?? []);
  const invalid = cellInvalidity(head);
  // Stored runs were chosen because they can be trusted. An interleaved run was not.
  if (!interleaved) return { required, head, base, history: [], invalid, failingInBase: [] };
  const failingInBase = head === undefined ? [] : base.flatMap((cell) => endpointsFailingInBase(cell, head));
  if (failingInBase.length > 0) return { required, head, base: [], history, invalid, failingInBase };
  const baseInvalid = inBase(base.flatMap(cellInvalidity));
  return { required, head, base, history, invalid: [...invalid, ...baseInvalid], failingInBase };
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

/** A trusted case with something to compare it with. */
type ComparableCase = Case & Match;

function isComparable(one: Case): one is ComparableCase {
  return one.invalid.length === 0 && one.head !== undefined && one.base.length > 0;
}

/** What measuring the cell again shows; undefined if that measurement cannot be trusted. */
function matchAgain({ head, base }: Again, { required, base: history }: Case): Match | undefined {
  const name = cellName(required);
  const [after, before] = [cellsByName(head).get(name), cellsByName(base).get(name)];
  if (after === undefined || before === undefined || head.invalid.length > 0 || base.invalid.length > 0) {
    return undefined;
  }
  const spoiled =
    [...cellInvalidity(after), ...cellInvalidity(before)].length > 0 ||
    endpointsFailingInBase(before, after).length > 0;
  return spoiled ? undefined : { head: after, base: [before], history };
}

/** True if the second measurement's head received other requests than its base, which makes it faster or slower. */
function hasOtherMix({ head, base }: Match): boolean {
  return base.some((one) => mixReasons(one, head).length > 0);
}

/** The cell with what measuring it again says about its costs. */
function confirmed(cell: CellVerdict, again: Match | undefined, { signals }: JudgeOptions): CellVerdict {
  if (again === undefined) {
    return isSuspectByCost(cell) ? { ...cell, outcome: mostSerious([cell.outcome, 'undecided']) } : cell;
  }
  const base = again.base.map(({ blocks }) => blocks);
  return confirmCosts(cell, compareSignals(base, again.head.blocks, signals, 'suspect'));
}

/**
 * Compares head's run with base: an outcome for every cell, and the most serious one for the check. Depends on nothing
 * but its arguments. `.github/adr/0003` has the reasons.
 */
export function judge({ run, base, again, options, createdAt, seconds }: JudgeInput): Verdict {
  const { runs, comparison: chosen } = chooseBase(run, base);
  const interleaved = base.kind === 'side-by-side';
  const invalid = [...run.invalid, ...(interleaved ? inBase(base.run.invalid) : [])];
  const [headCells, baseRuns] = [cellsByName(run), runs.map(cellsByName)];
  const cases = listCells(run, options).map((cell) => openCase(cell, headCells, baseRuns, [], interleaved));
  const comparison = describeComparison(chosen, cases);
  const setup: Setup = { setting: settingOf(run, base, runs), interleaved, machine: run.fingerprint };
  const comparable = invalid.length > 0 ? [] : cases.filter(isComparable);
  const names = judgedMetrics(options);
  const first = contrastMatches(comparable, setup, names, options);
  const repeated = new Set(again?.suspects ?? []);
  const matchesAgain = new Map<Case, Match>(
    comparable.flatMap((one): [ComparableCase, Match][] => {
      const match = again === undefined ? undefined : matchAgain(again, one);
      return match === undefined ? [] : [[one, match]];
    }),
  );
  const second = contrastMatches(
    [...matchesAgain.values()],
    { ...setup, setting: 'same-machine', interleaved: true },
    names,
    options,
  );
  const measured = comparable.map((one) => {
    const match = matchesAgain.get(one);
    const contrast = match === undefined ? undefined : second.get(match);
    const looks = {
      first: first.get(one) ?? [],
      ...(contrast === undefined ? {} : { second: contrast }),
      spoiled: repeated.has(cellName(one.required)) && (match === undefined || hasOtherMix(match)),
    };
    const size = { vus: one.head.vus, blocks: one.head.blocks.length, ofGroup: false };
    return { match: one, measured: looks, metrics: judgeContrasts(looks, size, options) };
  });
  const compared = new Map<Case, ComparedCell>(
    measured.map(({ match, metrics }) => [match, { base: match.base, metrics }]),
  );
  const reasons = withoutConsequences(
    cases.map((one) => one.invalid),
    invalid,
  );
  const judged = cases.map((one, index) =>
    invalid.length > 0 || one.invalid.length > 0 || one.head === undefined
      ? invalidCell(one.required, one.head, reasons[index] ?? [], reasonsBehind(index, reasons, invalid))
      : confirmed(
          judgeCell(one.required, one.head, compared.get(one), options),
          matchesAgain.get(one),
          options,
        ),
  );
  const byName = new Map(comparable.map((match) => [cellName(match.required), match]));
  const cells = markWorseEndpoints(judged, (cell) => byName.get(cellName(cell)), setup, options);
  const groups = judgeGroups(measured, options);
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
  };
}
