import { byExcess } from '../../model/excess.ts';
import { metrics } from '../../model/metric.ts';
import { cellName } from '../../model/run.ts';
import type { CellVerdict, SignalChange, Verdict } from '../../model/verdict.ts';
import { formatMs, formatMsFigure, formatShare } from '../format/number.ts';
import { capitalised, type Phrase, withStop } from '../format/phrase.ts';
import { cellsIn } from './cell-state.ts';
import {
  byEvidence,
  invalidReasons,
  movedSignals,
  needsEvidence,
  type PlacedReason,
  signalMove,
} from './findings.ts';
import { groupsIn } from './groups.ts';
import { regressedMetrics } from './metric.ts';
import { calmest, isBehindCosts, slowedAlike } from './regression.ts';
import { cellLiteral } from './tables.ts';
import { methodItems } from './which-code.ts';

const mostCosts = 3;
const mostMethods = 2;
const mostReasons = 3;
const longestHint = 300;

function slowEndpoint(cell: CellVerdict): Phrase[] {
  const [endpoint] = cell.endpoints;
  if (endpoint === undefined || endpoint.shareOfAddedTime === 0) return [];
  const { name, base, head, shareOfAddedTime } = endpoint;
  const mean = `mean ${formatMsFigure(base.meanMs)} → ${formatMs(head.meanMs)}`;
  const isAlone = cell.endpoints.length === 1;
  if (slowedAlike(cell)) {
    return [
      ['All endpoints of ', cellLiteral(cell), ' slowed alike, so they wait for something they share.'],
    ];
  }
  const share = isAlone ? '' : `, ${formatShare(shareOfAddedTime)} of all the time that was added`;
  return [[{ strong: 'Endpoint' }, ' ', { literal: name }, ' in ', cellLiteral(cell), `: ${mean}${share}.`]];
}

function failingEndpoint(cell: CellVerdict): Phrase[] {
  const [worst] = cell.endpoints.toSorted(
    (a, b) => b.head.errorRate - b.base.errorRate - (a.head.errorRate - a.base.errorRate),
  );
  if (worst === undefined || worst.head.errorRate <= worst.base.errorRate) return [];
  const { name, base, head } = worst;
  const errors = `failed requests ${formatShare(base.errorRate)} → ${formatShare(head.errorRate)}.`;
  return [[{ strong: 'Endpoint' }, ' ', { literal: name }, ' in ', cellLiteral(cell), `: ${errors}`]];
}

/** The endpoint behind the worst cell. With fewer users, less of its time is spent in queues. */
function endpointItems(cells: readonly CellVerdict[]): Phrase[] {
  const [worst] = cells;
  if (worst === undefined) return [];
  const judged = [...regressedMetrics(worst), ...regressedMetrics(worst, 'accepted')];
  const isSlower = judged.some(({ metric }) => metrics[metric].family === 'time');
  if (!isSlower && judged.some(({ metric }) => metrics[metric].family === 'errors'))
    return failingEndpoint(worst);
  const calm = calmest(cells.filter(({ scenario }) => scenario === worst.scenario)) ?? worst;
  return isSlower || isBehindCosts(calm) ? slowEndpoint(calm) : [];
}

function costItem(signal: SignalChange): Phrase {
  const { hint } = signal;
  const said = hint === '' ? '' : ` ${withStop(capitalised(hint))}`;
  return [{ strong: 'Cost' }, ' ', { text: `${signalMove(signal)}.${said}`, longest: longestHint }];
}

function movedCosts(cells: readonly CellVerdict[]): readonly SignalChange[] {
  const seen = new Set<string>();
  return cells
    .flatMap(movedSignals)
    .toSorted(byEvidence)
    .filter(({ name }) => !seen.has(name) && seen.add(name))
    .slice(0, mostCosts);
}

function methodsOf({ codeChanges = [] }: Verdict, cells: readonly CellVerdict[]): Phrase[] {
  return codeChanges
    .filter(({ scenario, load }) => cells.some((cell) => cell.scenario === scenario && cell.load === load))
    .flatMap(methodItems)
    .slice(0, mostMethods)
    .map((item): Phrase => [{ strong: 'Method' }, ' ', ...item, '.']);
}

function reasonItem({ reason: { code, cause, nextStep }, ofRun, cells }: PlacedReason): Phrase {
  const [first, ...more] = cells;
  const where: Phrase =
    ofRun || first === undefined
      ? ['The whole run']
      : [cellLiteral(first), ...(more.length === 0 ? [] : [` and ${more.length} more`])];
  return [
    ...where,
    ': ',
    { text: cause, longest: longestHint },
    ' (',
    { literal: code },
    '). Next: ',
    { text: withStop(nextStep), longest: longestHint },
  ];
}

const unansweredStep =
  "read the service's log. A service that hangs often lacks connections or memory, or waits for a lock";

function unansweredItems(cells: readonly CellVerdict[]): Phrase[] {
  return cells.flatMap((cell) =>
    cell.unanswered === undefined
      ? []
      : [
          reasonItem({
            reason: { ...cell.unanswered, nextStep: unansweredStep },
            ofRun: false,
            cells: [cell],
          }),
        ],
  );
}

type Decided = 'regression' | 'accepted' | 'undecided';

/** The cells of groups with that outcome. */
function cellsTogether(verdict: Verdict, outcome: Decided): readonly CellVerdict[] {
  const names = groupsIn(verdict, outcome).flatMap(({ cells }) => cells);
  return verdict.cells.filter((cell) => names.includes(cellName(cell)));
}

/**
 * What probably caused the outcome: endpoint, costs and methods, or why the measurement is not to be trusted. Costs that need
 * evidence come last, because slower code makes requests wait for connections too. A change that only shows in several cells
 * together is too small to name an endpoint for it.
 */
export function likelyCauses(verdict: Verdict): readonly Phrase[] {
  const { outcome } = verdict;
  if (outcome === 'invalid' || outcome === 'noise') {
    return invalidReasons(verdict).slice(0, mostReasons).map(reasonItem);
  }
  if (outcome !== 'regression' && outcome !== 'accepted' && outcome !== 'undecided') return [];
  const alone = cellsIn(verdict, outcome).toSorted(byExcess);
  const decisive = [...new Set([...alone, ...cellsTogether(verdict, outcome).toSorted(byExcess)])];
  const costs = movedCosts(decisive);
  return [
    ...unansweredItems(alone).slice(0, mostReasons),
    ...endpointItems(alone),
    ...costs.filter((cost) => !needsEvidence(cost)).map(costItem),
    ...methodsOf(verdict, decisive),
    ...costs.filter(needsEvidence).map(costItem),
  ];
}
