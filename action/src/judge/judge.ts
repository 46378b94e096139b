import { type Cell, cellName, type InvalidReason, type Run } from '../model/run.ts';
import { type Verdict, verdictSchemaVersion } from '../model/verdict.ts';
import type { Setting } from '../stats/noise-model.ts';
import { type Base, chooseBase } from './base.ts';
import { gravest, invalidCell, judgeCell } from './cell.ts';
import { type CellContrast, contrastCell } from './contrast.ts';
import { adjustFamily } from './family.ts';
import type { JudgeOptions, RequiredCell } from './options.ts';
import { cellInvalidity, ofBase } from './validity.ts';

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
}

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

function findCell(run: Run, name: string): Cell | undefined {
  return run.cells.find((cell) => cellName(cell) === name);
}

/** Where base and head were measured: one machine, or machines alike in all that the fingerprint knows. */
function settingOf(run: Run, base: Base): Setting {
  return base.kind === 'side-by-side' || run.fingerprint.runner === localRunner
    ? 'same-machine'
    : 'other-machine';
}

/**
 * Head's run against the base: four outcomes for every cell, and the gravest of them for the check. Depends on
 * nothing but its arguments; .github/adr/0003 has the reasons.
 */
export function judge({ run, base, options, createdAt, seconds }: JudgeInput): Verdict {
  const { runs, comparison } = chooseBase(run, base);
  const inTurn = base.kind === 'side-by-side';
  const runInvalid = [...run.invalid, ...(inTurn ? ofBase(base.run.invalid) : [])];

  const cases = listCells(run, options).map((required): Case => {
    const name = cellName(required);
    const head = findCell(run, name);
    const cells = runs.flatMap((other) => findCell(other, name) ?? []);
    const baseInvalid = inTurn ? ofBase(cells.flatMap((cell) => cellInvalidity(name, cell))) : [];
    return { required, head, base: cells, invalid: [...cellInvalidity(name, head), ...baseInvalid] };
  });

  const setting = settingOf(run, base);
  const contrasts = new Map<Case, CellContrast>();
  for (const one of cases) {
    if (
      runInvalid.length === 0 &&
      one.invalid.length === 0 &&
      one.head !== undefined &&
      one.base.length > 0
    ) {
      contrasts.set(one, contrastCell({ cells: one.base, setting, inTurn }, one.head));
    }
  }
  const compared = [...contrasts.keys()];
  const adjusted = adjustFamily([...contrasts.values()]);

  const cells = cases.map((one) => {
    if (runInvalid.length > 0 || one.invalid.length > 0 || one.head === undefined) {
      return invalidCell(one.required, one.head, one.invalid);
    }
    const contrast = contrasts.get(one);
    const own = adjusted[compared.indexOf(one)];
    const against =
      contrast === undefined || own === undefined
        ? undefined
        : { base: one.base, contrast, adjusted: own, cells: compared.length };
    return judgeCell(one.required, one.head, against, options);
  });

  return {
    schema: verdictSchemaVersion,
    runId: run.id,
    createdAt,
    suite: run.suite,
    outcome: runInvalid.length > 0 ? 'invalid' : gravest(cells.map(({ outcome }) => outcome)),
    comparison,
    cells,
    invalid: runInvalid,
    code: run.code,
    fingerprint: run.fingerprint,
    seconds,
  };
}
