import { expect, it } from 'vitest';
import {
  dearer,
  recordedConfig,
  recordedRun,
  slowedBy,
  withBlocks,
} from '../../../test/recorded/recorded-runs.ts';
import type { Run } from '../../model/run.ts';
import { atSpeedOf } from './same-speed.ts';

const head = recordedRun('02-unchanged');
/** Unchanged runs on machines that take so many times as long as head's, oldest first. */
const history = (...factors: readonly number[]): Run[] =>
  factors.map((factor, at) => ({ ...slowedBy(factor, head), id: `run-${at}` }));
const chosen = (run: Run, runs: readonly Run[]) =>
  atSpeedOf(run, runs, recordedConfig.signals).map(({ id }) => id);
const namesOf = (...at: readonly number[]) => at.map((one) => `run-${one}`);

/** The run, in which users received other bytes, so that the generator had other work. */
const larger = (run: Run): Run =>
  withBlocks(run, (block) => ({
    ...block,
    signals: { ...block.signals, bytesReceived: 2 * (block.signals.bytesReceived ?? 0) },
  }));

it('takes only runs at head’s speed, however old they are, and the newest one', () => {
  expect(chosen(head, history(1, 1.2, 0.85, 1.4, 1.4, 0.6))).toEqual(namesOf(0, 1, 2, 5));
  expect(chosen(head, history(1.4, 1.4, 1, 1, 1))).toEqual(namesOf(2, 3, 4));
});

it('takes all runs if fewer than three are at head’s speed', () => {
  expect(chosen(head, history(1, 1.4, 1, 1.4, 0.6))).toEqual(namesOf(0, 1, 2, 3, 4));
});

it('keeps runs that show no speed, but does not count them', () => {
  const [first = head, ...others] = history(1, 1, 1, 1, 1.4, 1);
  expect(chosen(head, [larger(first), ...others])).toEqual(namesOf(0, 1, 2, 3, 5));
  const unknown = history(1, 1, 1).map(larger);
  expect(chosen(head, [...unknown, ...history(1, 1, 1, 1.4, 1.4, 1).slice(3)])).toHaveLength(6);
});

it.each([1.4, 0.7])('lets no head choose its base whose generator alone costs %d times as much', (factor) => {
  const runs = history(factor, factor, factor, 1, 1, 1);
  expect(chosen(dearer(factor, ['generator'], head), runs)).toEqual(namesOf(0, 1, 2, 3, 4, 5));
});

it('takes up to three runs at any speed', () => {
  expect(chosen(head, history(1, 1.4, 1.4))).toEqual(namesOf(0, 1, 2));
});

it('knows no speed of a head that gives the generator other work, or makes it wait', () => {
  const runs = history(1.4, 1.4, 1.4, 1, 1, 1);
  const all = namesOf(0, 1, 2, 3, 4, 5);
  const fewer = withBlocks(head, (block) => ({ ...block, tps: block.tps / 2 }));
  const waiting = dearer(0.5, ['generator', 'service', 'backing'], fewer);
  expect(chosen(larger(head), runs)).toEqual(all);
  expect(chosen(waiting, runs)).toEqual(all);
  expect(chosen(head, runs)).toEqual(namesOf(3, 4, 5));
});

it('takes all runs if nobody measured the generator', () => {
  const unknown = withBlocks(head, (block) => ({ ...block, usage: {} }));
  expect(chosen(unknown, history(1, 1, 1, 1.4))).toEqual(namesOf(0, 1, 2, 3));
});
