import type { SignalConfig } from '../../model/config.ts';
import type { LogRatio } from '../../stats/index.ts';
import { contrastFigure, type Figure, type Match, type Setup } from './contrast.ts';

/** The growth of costs in one cell, by the signal's name. */
export type CostContrast = ReadonlyMap<string, LogRatio>;

/**
 * Standard deviations of logs, expected until stored runs say more. In the reference service, the wait for a connection had
 * 0.13 to 0.48 between blocks of a cell, and 0.2 between runs.
 */
const expected = { block: 0.35, boot: 0.1, run: 0.2 } as const;

/** Keeps the log of a cost of 0 finite where the floor is 0 too. */
const least = 1e-9;

/** A value below the floor does not count, so it is read as the floor. */
function figureOf(name: string, { floor, worse = 'higher' }: SignalConfig): Figure {
  return {
    worse,
    family: 'cpu',
    read: ({ signals }) => signals[name],
    resolution: () => Math.max(least, floor),
    noise: { divided: expected, raw: expected },
    yardstick: [],
  };
}

/** What every signal with `gate: suspect` grew by, for each cell in which both sides have it. */
export function contrastCosts<One extends Match>(
  matches: readonly One[],
  setup: Setup,
  signals: Readonly<Record<string, SignalConfig>>,
): ReadonlyMap<One, CostContrast> {
  const columns = Object.entries(signals)
    .filter(([, { gate }]) => gate === 'suspect')
    .map(([name, signal]) => [name, contrastFigure(figureOf(name, signal), matches, setup)] as const);
  return new Map(
    matches.map((match) => [
      match,
      new Map(
        columns.flatMap(([name, ratios]): [string, LogRatio][] => {
          const ratio = ratios.get(match);
          return ratio === undefined ? [] : [[name, ratio]];
        }),
      ),
    ]),
  );
}
