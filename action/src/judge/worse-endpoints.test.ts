import { describe, expect, it } from 'vitest';
import {
  drawNormal,
  runOf,
  simulatedBlock,
  simulatedCell,
  simulatedOptions,
} from '../../test/simulation/simulated-run.ts';
import type { Run } from '../model/run.ts';
import type { Verdict } from '../model/verdict.ts';
import { createRandom, type Random } from '../stats/random.ts';
import { judge } from './judge.ts';

const when = { createdAt: '2026-01-01T00:00:00Z', seconds: 1 };
const simulations = 50;
/** Of the checks in which nothing changed. */
const rarely = 0.02;

/** Share of a cell's requests; the first is the rare one. */
const shares = [0.05, 0.15, 0.2, 0.2, 0.2, 0.2];

interface Change {
  /** How many times longer the rare endpoint takes. */
  readonly slower?: number;
  /** Share of its requests that fail. */
  readonly failing?: number;
}

/** Four cells of four blocks; every endpoint has its own noise on top of its block's and its run's. */
function draw(id: string, random: Random, { slower = 1, failing = 0 }: Change = {}): Run {
  const ofRun = 0.05 * drawNormal(random);
  const cells = [0, 1, 2, 3].map((cell) =>
    simulatedCell(
      cell,
      [0, 1, 2, 3].map((round) => {
        const level = Math.exp(ofRun + 0.08 * drawNormal(random));
        const block = simulatedBlock(round, 500 / level, 200 * level);
        const endpoints = shares.map((share, index) => {
          const changed = cell === 0 && index === 0;
          const p95Ms = 200 * level * Math.exp(0.1 * drawNormal(random)) * (changed ? slower : 1);
          const requests = Math.round(block.requests * share);
          const errors = changed ? Math.round(requests * failing) : 0;
          return { name: `endpoint-${index}`, requests, errors, latency: { ...block.latency, p95Ms } };
        });
        return { ...block, endpoints };
      }),
    ),
  );
  return runOf(id, cells);
}

function simulate(change: Change, interleaved = false): readonly Verdict[] {
  const random = createRandom(2026);
  const options = { ...simulatedOptions, cells: simulatedOptions.cells.slice(0, 4) };
  return Array.from({ length: simulations }, () => {
    const runs = ['a', 'b', 'c'].map((id) => draw(id, random));
    const run = draw('head', random, change);
    const [first = run] = runs;
    const base = interleaved
      ? ({ kind: 'side-by-side', run: first } as const)
      : ({ kind: 'stored', runs } as const);
    return judge({ run, base, options, ...when });
  });
}

const marks = ({ cells }: Verdict) =>
  cells.flatMap(({ scenario, endpoints }) =>
    endpoints.flatMap(({ name, worse }) => worse.map((metric) => `${scenario} ${name} ${metric}`)),
  );

function rate(verdicts: readonly Verdict[], counts: (verdict: Verdict) => boolean): number {
  return verdicts.filter(counts).length / verdicts.length;
}

describe('an endpoint that is worse on its own', () => {
  it.each([false, true])('is rarely named where nothing changed (interleaved: %s)', (interleaved) => {
    expect(rate(simulate({}, interleaved), (verdict) => marks(verdict).length > 0)).toBeLessThanOrEqual(
      rarely,
    );
  });

  it('is named, and the check stays as it is', () => {
    const verdicts = simulate({ slower: 5 });
    expect(rate(verdicts, ({ outcome }) => outcome === 'regression')).toBeLessThanOrEqual(rarely);
    const named = rate(verdicts, (verdict) => marks(verdict).includes('scenario-0 endpoint-0 p95'));
    expect(named).toBeGreaterThanOrEqual(0.95);
    const others = rate(verdicts, (verdict) =>
      marks(verdict).some((mark) => !mark.includes('endpoint-0 p95')),
    );
    expect(others).toBeLessThanOrEqual(rarely);
  });

  it('is named for its errors', () => {
    const named = rate(simulate({ failing: 0.15 }), (verdict) =>
      marks(verdict).includes('scenario-0 endpoint-0 errorRate'),
    );
    expect(named).toBeGreaterThanOrEqual(0.95);
  });

  it('is not looked for in a cell that regresses, whose endpoints are told apart otherwise', () => {
    const random = createRandom(1);
    const slow = draw('head', random, { slower: 5 });
    const cells = slow.cells.map((cell) => ({
      ...cell,
      blocks: cell.blocks.map((block) => simulatedBlock(block.round, block.tps / 3, block.latency.p95Ms * 3)),
    }));
    const runs = ['a', 'b', 'c'].map((id) => draw(id, random));
    const { outcome, ...verdict } = judge({
      run: { ...slow, cells },
      base: { kind: 'stored', runs },
      options: simulatedOptions,
      ...when,
    });
    expect(outcome).toBe('regression');
    expect(marks({ outcome, ...verdict })).toEqual([]);
  });
});
