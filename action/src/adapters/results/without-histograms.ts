import type { Latency, Run } from '../../model/run.ts';

/** Histograms make up nine tenths of a run, and no comparison reads them. */
export function withoutHistograms(run: Run): Run {
  return {
    ...run,
    cells: run.cells.map((cell) => ({
      ...cell,
      blocks: cell.blocks.map((block) => ({
        ...withoutHistogram(block),
        endpoints: block.endpoints.map(withoutHistogram),
      })),
    })),
  };
}

function withoutHistogram<T extends { readonly latency: Latency }>(measured: T): T {
  const { histogram: _, ...latency } = measured.latency;
  return { ...measured, latency };
}
