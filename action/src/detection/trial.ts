import { type Cell, cellName, cleanBlocks, type Interleaved, type Run } from '../model/run.ts';

/** All that any rule may look at when it judges one change. */
export interface Trial {
  /** Runs of the base branch, oldest first; like head, of as many rounds as a check measures. */
  readonly history: readonly Run[];
  readonly head: Run;
  /** Base and head interleaved, for rules that measure so from the start. */
  readonly beside: Interleaved;
  /** Base and head interleaved once more after fresh boots, for rules that confirm. */
  readonly again: Interleaved;
}

/** What the peers judge: one figure per cell and run. */
export const figures = {
  tps: { worse: 'lower', read: ({ tps }: Cell['blocks'][number]) => tps },
  p95: { worse: 'higher', read: ({ latency }: Cell['blocks'][number]) => latency.p95Ms },
} as const;
export type FigureName = keyof typeof figures;
export const figureNames = Object.keys(figures) as FigureName[];

/** One figure of one cell, as every rule gets it. */
export interface Series {
  /** Cell and figure. */
  readonly name: string;
  readonly worse: 'lower' | 'higher';
  /** A value per run of the history, oldest first. */
  readonly history: readonly number[];
  readonly head: number;
  /** A value per block. */
  readonly beside: { readonly base: readonly number[]; readonly head: readonly number[] };
}

/** The blocks of a run's cell that nothing speaks against, or all blocks where none is left. */
function valuesOf(run: Run, index: number, name: FigureName): readonly number[] {
  const cell = run.cells[index];
  if (cell === undefined) return [];
  const clean = cleanBlocks(cell);
  return (clean.length > 0 ? clean : cell.blocks).map(figures[name].read);
}

/** The mean over a run's blocks. */
export function levelOf(run: Run, index: number, name: FigureName): number {
  const values = valuesOf(run, index, name);
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The series of every cell of head. */
export function seriesOf({ history, head, beside }: Trial, names: readonly FigureName[]): readonly Series[] {
  return head.cells.flatMap((cell, index) =>
    names.map(
      (name): Series => ({
        name: `${cellName(cell)} ${name}`,
        worse: figures[name].worse,
        history: history.map((run) => levelOf(run, index, name)),
        head: levelOf(head, index, name),
        beside: { base: valuesOf(beside.base, index, name), head: valuesOf(beside.head, index, name) },
      }),
    ),
  );
}
