import type { MachinePart } from '../../model/metric.ts';
import type { Run } from '../../model/run.ts';
import type { Verdict } from '../../model/verdict.ts';
import { type Lever, whole } from './own.ts';

/** The run as if the gate could not read the CPU time of these parts. */
function without(...parts: readonly MachinePart[]): (run: Run) => Run {
  const usageOf = (usage: Run['cells'][number]['blocks'][number]['usage']) =>
    Object.fromEntries(Object.entries(usage).filter(([role]) => !parts.some((part) => part === role)));
  return (run) => ({
    ...run,
    cells: run.cells.map((cell) => ({
      ...cell,
      blocks: cell.blocks.map((block) => ({ ...block, usage: usageOf(block.usage) })),
    })),
  });
}

/** Each block of head is compared with a block of another round of base. */
function unpaired(run: Run, side: 'base' | 'head'): Run {
  if (side === 'base') return run;
  return {
    ...run,
    cells: run.cells.map((cell) => {
      const rounds = cell.blocks.map(({ round }) => round);
      const away = Math.floor(rounds.length / 2);
      const blocks = cell.blocks.map((block, at) => ({
        ...block,
        round: rounds[(at + away) % rounds.length] ?? block.round,
      }));
      return { ...cell, blocks };
    }),
  };
}

function withoutGroups(verdict: Verdict): Verdict {
  if (verdict.outcome !== 'regression' || verdict.cells.some(({ outcome }) => outcome === 'regression')) {
    return { ...verdict, groups: [] };
  }
  return { ...verdict, groups: [], outcome: 'coarse' };
}

/** Every part of the rule that can be left out from outside of it. */
export const levers: readonly Lever[] = [
  whole,
  { name: 'machine-speed', title: 'machine speed', run: without('generator', 'backing') },
  { name: 'generator', title: 'the generator as a part', run: without('generator') },
  { name: 'backing', title: 'the backing services as a part', run: without('backing') },
  { name: 'one-speed', title: 'stored runs at head’s machine speed', anySpeed: true },
  {
    name: 'counts',
    title: 'counts that fail a check and vouch for the backing services',
    config: (config) => ({
      ...config,
      signals: Object.fromEntries(
        Object.entries(config.signals).map(([name, signal]) => [
          name,
          signal.gate === 'fail' ? { ...signal, gate: 'report' as const } : signal,
        ]),
      ),
    }),
  },
  {
    name: 'service-cpu',
    title: 'CPU per request as a metric',
    // Nothing grows a million times.
    config: (config) => ({ ...config, tolerances: { ...config.tolerances, serviceCpu: 1e6 } }),
  },
  { name: 'groups', title: 'groups of cells', first: withoutGroups },
  { name: 'confirmation', title: 'the second measurement', once: true },
  { ...whole, name: 'whole-beside', title: '(nothing), base next to head', mode: 'side-by-side' },
  { name: 'pairs', title: 'pairs of rounds, base next to head', run: unpaired, mode: 'side-by-side' },
];
