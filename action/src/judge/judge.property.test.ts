import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  runOf,
  simulatedBlock,
  simulatedCell,
  simulatedOptions,
} from '../../test/simulation/simulated-run.ts';
import type { Block, Cell, Run } from '../model/run.ts';
import { runSchema } from '../model/run.ts';
import { type Outcome, type Verdict, verdictSchema } from '../model/verdict.ts';
import type { Base } from './comparable/base.ts';
import { judge } from './judge.ts';

const when = { createdAt: '2026-01-01T00:20:00Z', seconds: 600 };

function judged(run: Run, base: Base): Verdict {
  return judge({ run, base, options: simulatedOptions, ...when });
}

/** Whatever the schema allows: nothing, the ordinary, and the absurd. */
const figure = fc.oneof(
  fc.constant(0),
  fc.double({ min: 0.01, max: 10_000, noNaN: true }),
  fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
);
const whole = fc.oneof(
  fc.constant(0),
  { arbitrary: fc.integer({ min: 1, max: 100_000 }), weight: 5 },
  { arbitrary: fc.maxSafeNat(), weight: 3 },
);
const latency = fc.record({
  meanMs: figure,
  p50Ms: figure,
  p90Ms: figure,
  p95Ms: figure,
  p99Ms: figure,
  maxMs: figure,
});
const anyBlock: fc.Arbitrary<Block> = fc.record({
  round: fc.nat({ max: 3 }),
  startedAt: fc.constant('2026-01-01T00:00:00Z'),
  countedSeconds: fc.oneof(fc.constant(10), fc.double({ min: 5e-324, noNaN: true, noDefaultInfinity: true })),
  requests: whole,
  errors: whole,
  iterations: whole,
  tps: figure,
  latency,
  endpoints: fc.array(
    fc.record({ name: fc.constantFrom('login', 'sort'), requests: whole, errors: whole, latency }),
    { maxLength: 3 },
  ),
  usage: fc.oneof(
    fc.constant({}),
    fc.record({ generator: fc.record({ cpuShare: figure, rssBytes: figure }) }),
  ),
  stealShare: figure,
  othersCpuShare: figure,
  ioWaitShare: figure,
  signals: fc.oneof(
    fc.constant({}),
    fc.record({
      cost: fc.double({ noNaN: true, noDefaultInfinity: true }),
      measured: fc.double({ noNaN: true, noDefaultInfinity: true }),
    }),
  ),
  invalid: fc.constant([]),
});
const anyRun: fc.Arbitrary<Run> = fc
  .array(fc.array(anyBlock, { minLength: 0, maxLength: 4 }), { minLength: 1, maxLength: 3 })
  .map((cells) =>
    runOf(
      'any',
      cells.map((blocks, index) => simulatedCell(index, blocks)),
    ),
  );

const cost = {
  title: 'Cost',
  from: 'service' as const,
  series: ['cost'],
  per: 'request' as const,
  scale: 1,
  unit: '',
  tolerance: 0.1,
  floor: 0,
  hint: '',
};
const signals = {
  cost: { ...cost, gate: 'fail' as const },
  measured: { ...cost, gate: 'suspect' as const },
};

/** Ordinary cells: every block around a level, with some noise. */
const cellLevel = fc.record({
  tps: fc.double({ min: 1, max: 5000, noNaN: true }),
  p95Ms: fc.double({ min: 0.5, max: 5000, noNaN: true }),
});
const noise = fc.array(fc.double({ min: 0.7, max: 1.4, noNaN: true }), { minLength: 2, maxLength: 5 });
type Shape = {
  readonly level: { readonly tps: number; readonly p95Ms: number };
  readonly noise: readonly number[];
};
const shape = fc.record({ level: cellLevel, noise });

function cellsOf(shapes: readonly Shape[], slower: (cell: number, block: number) => number): Cell[] {
  return shapes.map(({ level, noise: factors }, cell) =>
    simulatedCell(
      cell,
      factors.map((factor, block) => {
        const slowdown = slower(cell, block);
        return simulatedBlock(block, level.tps / factor / slowdown, level.p95Ms * factor * slowdown);
      }),
    ),
  );
}

const plain = (): number => 1;
const bases = fc.array(fc.array(shape, { minLength: 2, maxLength: 2 }), { minLength: 1, maxLength: 4 });
const gravity: readonly Outcome[] = ['pass', 'coarse', 'undecided', 'noise', 'regression', 'invalid'];

function storedRuns(shapes: readonly (readonly Shape[])[]): Base {
  return {
    kind: 'stored',
    runs: shapes.map((cells, index) => runOf(`base-${index}`, cellsOf(cells, plain))),
  };
}

describe('judge', () => {
  it('answers within the schema whatever was measured, without NaN or infinity', () => {
    fc.assert(
      fc.property(anyRun, fc.array(anyRun, { maxLength: 4 }), fc.boolean(), (head, runs, interleaved) => {
        const named = runs.map((run, index) => ({ ...run, id: `base-${index}` }));
        const [first] = named;
        const base: Base =
          interleaved && first !== undefined
            ? { kind: 'side-by-side', run: first }
            : { kind: 'stored', runs: named };
        expect(runSchema.safeParse(head).success).toBe(true);
        const cells = simulatedOptions.cells.slice(0, 2);
        const verdict = judge({ run: head, base, options: { ...simulatedOptions, cells, signals }, ...when });
        expect(verdictSchema.safeParse(verdict).error).toBeUndefined();
      }),
      { numRuns: 400, seed: 2026 },
    );
  });

  it('gives the same verdict again, and whatever the order of blocks', () => {
    fc.assert(
      fc.property(fc.array(shape, { minLength: 2, maxLength: 2 }), bases, (head, base) => {
        const run = runOf('head', cellsOf(head, plain));
        const verdict = judged(run, storedRuns(base));
        expect(judged(run, storedRuns(base))).toEqual(verdict);
        const turned = {
          ...run,
          cells: run.cells.map((cell) => ({ ...cell, blocks: cell.blocks.toReversed() })),
        };
        const again = judged(turned, storedRuns(base));
        expect(again.cells.map(({ outcome }) => outcome)).toEqual(
          verdict.cells.map(({ outcome }) => outcome),
        );
      }),
      { numRuns: 50, seed: 2026 },
    );
  });

  it('never finds a slower head better, all blocks of a cell being slower alike', () => {
    fc.assert(
      fc.property(
        fc.array(shape, { minLength: 2, maxLength: 2 }),
        bases,
        fc.double({ min: 1, max: 5, noNaN: true }),
        (head, base, slower) => {
          const before = judged(runOf('head', cellsOf(head, plain)), storedRuns(base));
          const after = judged(
            runOf(
              'head',
              cellsOf(head, (cell) => (cell === 0 ? slower : 1)),
            ),
            storedRuns(base),
          );
          for (const [index, metric] of (before.cells[0]?.metrics ?? []).entries()) {
            const later = after.cells[0]?.metrics[index];
            if (metric.metric !== 'errorRate' && later !== undefined) {
              expect(gravity.indexOf(later.outcome)).toBeGreaterThanOrEqual(gravity.indexOf(metric.outcome));
            }
          }
        },
      ),
      { numRuns: 60, seed: 2026 },
    );
  });

  it('never passes a change that is beyond its limit and floor', () => {
    fc.assert(
      fc.property(fc.array(shape, { minLength: 2, maxLength: 2 }), bases, (head, base) => {
        for (const { metrics } of judged(runOf('head', cellsOf(head, plain)), storedRuns(base)).cells) {
          for (const { outcome, change, limit, belowFloor } of metrics) {
            const beyond = limit < 0 ? change < limit : change > limit;
            if (beyond && !belowFloor) {
              expect(outcome).not.toBe('pass');
            }
          }
        }
      }),
      { numRuns: 100, seed: 2026 },
    );
  });

  it.each([
    ['I_EXCEPTIONS', 'invalid'],
    ['I_STEAL', 'noise'],
  ])('never passes what is spoilt by %s, and fails nothing else for it', (code, expected) => {
    const reason = { code, cause: 'A cause.', nextStep: 'Try later.' };
    fc.assert(
      fc.property(
        fc.array(shape, { minLength: 2, maxLength: 2 }),
        bases,
        fc.nat({ max: 1 }),
        (head, base, spoilt) => {
          const run = runOf('head', cellsOf(head, plain));
          const cells = run.cells.map((cell, index) =>
            index === spoilt
              ? { ...cell, blocks: cell.blocks.map((block) => ({ ...block, invalid: [reason] })) }
              : cell,
          );
          const verdict = judge({
            run: { ...run, cells },
            base: storedRuns(base),
            options: { ...simulatedOptions, cells: simulatedOptions.cells.slice(0, 2) },
            ...when,
          });
          const proved = verdict.cells[1 - spoilt]?.outcome === 'regression';
          expect(verdict.outcome).toBe(proved ? 'regression' : expected);
          expect(verdict.cells.map(({ outcome }) => outcome === expected)).toEqual([
            spoilt === 0,
            spoilt === 1,
          ]);
        },
      ),
      { numRuns: 30, seed: 2026 },
    );
  });
});
