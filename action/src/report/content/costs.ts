import { cellName } from '../../model/run.ts';
import type { CellVerdict, SignalChange, Uncounted, Verdict } from '../../model/verdict.ts';
import { formatAmount, formatChange } from '../format/number.ts';
import { namesText } from '../format/phrase.ts';
import { growth, needsEvidence, signalMove } from './findings.ts';
import { regressedMetrics } from './metric.ts';

/** A cost that fails the check, in the cell of its scenario in which it grew most. */
interface ScenarioCost {
  readonly signal: SignalChange;
  /** `both loads`, or the names of the loads; empty if the scenario has only one. */
  readonly where: string;
}

/** The costs that fail a scenario. */
export interface FailedScenario {
  readonly scenario: string;
  /** The cells that fail by them, calmest first. */
  readonly cells: readonly CellVerdict[];
  /** The largest growth first; not empty. */
  readonly costs: readonly [ScenarioCost, ...ScenarioCost[]];
}

export function failedSignals({ signals }: CellVerdict): readonly SignalChange[] {
  return signals.filter(({ failed }) => failed);
}

function byGrowth(a: SignalChange, b: SignalChange): number {
  const [left, right] = [growth(a), growth(b)];
  return left === right ? 0 : right - left;
}

function whereText(cells: readonly CellVerdict[], all: readonly CellVerdict[]): string {
  if (all.length === 1) return '';
  if (cells.length < all.length) return namesText(cells.map(({ load }) => load));
  return all.length === 2 ? 'both loads' : `all ${all.length} loads`;
}

type Leads = (signal: SignalChange) => boolean;

/**
 * Which costs lead the report. Counted ones do. A measured one, such as a wait, is often the consequence of what else
 * became worse, so it leads only where nothing else fails.
 */
function leading(cells: readonly CellVerdict[]): Leads {
  const isExplained = cells.some(
    (cell) => regressedMetrics(cell).length > 0 || failedSignals(cell).some((one) => !needsEvidence(one)),
  );
  return (signal) => signal.failed && (!needsEvidence(signal) || !isExplained);
}

function failedScenario(scenario: string, all: readonly CellVerdict[], leads: Leads): FailedScenario[] {
  const cells = all.filter(({ signals }) => signals.some(leads)).toSorted((a, b) => a.vus - b.vus);
  const found = cells.flatMap((cell) => cell.signals.filter(leads).map((signal) => ({ cell, signal })));
  const [first, ...others] = [...Map.groupBy(found, ({ signal }) => signal.name).values()]
    .flatMap((same): ScenarioCost[] => {
      const where = whereText(
        same.map(({ cell }) => cell),
        all,
      );
      return same
        .map(({ signal }) => ({ signal, where }))
        .toSorted((a, b) => byGrowth(a.signal, b.signal))
        .slice(0, 1);
    })
    .toSorted((a, b) => byGrowth(a.signal, b.signal));
  return first === undefined ? [] : [{ scenario, cells, costs: [first, ...others] }];
}

/** The scenarios whose failed costs lead, the largest growth first. A cost concerns all loads of a scenario alike. */
export function failedScenarios({ cells }: Verdict): readonly FailedScenario[] {
  const leads = leading(cells);
  return [...Map.groupBy(cells, ({ scenario }) => scenario)]
    .flatMap(([scenario, all]) => failedScenario(scenario, all, leads))
    .toSorted((a, b) => byGrowth(a.costs[0].signal, b.costs[0].signal));
}

/** `SQL statements per request 1.01 → 3.01, rows read per request 5.2 → 9.2 (both loads)`. */
export function costsText({ costs }: FailedScenario): string {
  const parts = [...Map.groupBy(costs, ({ where }) => where)].map(([where, same]) => {
    const moves = same.map(({ signal }) => signalMove(signal)).join(', ');
    return where === '' ? moves : `${moves} (${where})`;
  });
  return parts.join('; ');
}

/** `+199%`, `from 0`. */
export function formatGrowth({ change }: SignalChange): string {
  return change === null ? 'from 0' : formatChange(change);
}

/** The tolerated growth: `+2%`, or in the unit if base has none of the cost. */
export function formatCostLimit({ base, limit, unit, worse }: SignalChange): string {
  if (base === 0) return formatAmount(limit, unit);
  return formatChange((worse === 'lower' ? -limit : limit) / Math.abs(base));
}

const missingTexts: Readonly<Record<Uncounted['missing'], string>> = {
  head: 'head has no value',
  base: 'base has no value',
  both: 'neither base nor head has a value',
  rounds: 'base and head have fewer than two rounds in common',
};

/** Titles of the costs that only base counts, which leaves the cell undecided. */
export function lostCosts({ uncounted }: CellVerdict): readonly string[] {
  return uncounted.filter(({ missing }) => missing === 'head').map(({ title }) => title);
}

/** `SQL statements per request: head has no value, so it could not be compared`, with the cells unless all are meant. */
export function uncountedNotes({ cells }: Verdict): readonly string[] {
  const found = cells.flatMap((cell) => cell.uncounted.map((cost) => ({ cell, cost })));
  const compared = cells.filter(({ outcome }) => outcome !== 'invalid');
  const groups = Map.groupBy(found, ({ cost: { name, missing } }) => `${missing} ${name}`);
  return [...groups.values()].flatMap((same) => {
    const where =
      same.length === compared.length ? '' : ` in ${namesText(same.map(({ cell }) => cellName(cell)))}`;
    return same
      .slice(0, 1)
      .map(({ cost }) => `${cost.title}: ${missingTexts[cost.missing]}${where}, so it could not be compared`);
  });
}
