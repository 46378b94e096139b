import { resolve } from 'node:path';
import { type Cell, cellName } from '../model/run.ts';
import { seriesSchemaVersion } from '../model/series.ts';
import { courseOf } from '../stats/index.ts';
import { firstCause, mayPass } from './block-validity.ts';
import type { MeasureContext, ReadySide } from './context.ts';
import { asOneLoad, type PlannedCell, roundOrder } from './plan.ts';
import { cellOf, sendingSeconds } from './run-rounds.ts';
import { loadProgress } from './time-left.ts';
import { runUnbroken } from './unbroken-load.ts';
import { type FormerBlock, workOff } from './work-off.ts';

/**
 * Loads one cell after the other, each without a break. If a load ends before its time, `onCutShort` gets what was
 * measured, and the error is thrown. A broken block ends the run after its cell.
 */
export async function runUnbrokenCells(
  context: MeasureContext,
  ready: ReadySide,
  onCutShort: (cells: Cell[]) => void,
): Promise<Cell[]> {
  const { tools, options, signal } = context;
  const { plan, config, onProgress, configDirectory } = options;
  const { service, side } = ready;
  const note = (text: string) => onProgress({ kind: 'note', text });
  const progress = loadProgress(plan.loadSeconds, () => tools.clock.monotonicMs());
  const loaded = new Map<PlannedCell, Cell>();
  const cells = () => plan.cells.map((cell) => loaded.get(cell) ?? cellOf(cell, []));
  let former: FormerBlock | undefined;
  for (const cell of roundOrder(plan, 0)) {
    const name = cellName(cell);
    const whole = asOneLoad(cell);
    if (former !== undefined) await workOff(context, former, name);
    progress.begin(whole);
    const taken = await runUnbroken(
      tools,
      {
        config,
        cell,
        service,
        resolveScript: (script) => resolve(configDirectory, script),
        onLive: (figures) => onProgress({ kind: 'live', cell: name, figures, ...progress.now() }),
        ...sendingSeconds(side, whole, 0),
      },
      signal,
    );
    progress.end(whole);
    const { scenario, load, guardSeconds, countedSeconds } = whole;
    const course = taken.seconds && courseOf({ seconds: taken.seconds, guardSeconds, countedSeconds });
    if (taken.blocks.length > 0) {
      loaded.set(cell, { ...cellOf(cell, [...taken.blocks]), ...(course && { course }) });
    }
    if (taken.seconds !== undefined) {
      const identity = { schema: seriesSchemaVersion, phase: 'block', side: side.name, round: 0 } as const;
      await side.keepSeries({ ...identity, scenario, load, guardSeconds, countedSeconds, ...taken.seconds });
    }
    if ('cutShort' in taken) {
      if (loaded.size > 0) onCutShort(cells());
      throw taken.cutShort;
    }
    const [spoiled, ...others] = taken.blocks.filter(({ invalid }) => invalid.length > 0);
    const broken = taken.blocks.find(({ invalid }) => invalid.length > 0 && !mayPass(invalid));
    if (broken !== undefined) {
      note(`stopped after ${name}: ${firstCause(broken)}`);
      break;
    }
    if (spoiled !== undefined) {
      const count = `${others.length + 1} of ${taken.blocks.length} blocks`;
      note(
        `${name}: ${count} are left out, because an unbroken load is not repeated: ${firstCause(spoiled)}`,
      );
    }
    const last = taken.blocks.at(-1);
    former = last && { service, block: last };
  }
  return cells();
}
