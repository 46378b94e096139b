import { expect, it } from 'vitest';
import { recordedConfig, recordedRun, slowedBy, withBlocks } from '../../../test/recorded/recorded-runs.ts';
import type { Run } from '../../model/run.ts';
import { atSpeedOf } from './same-speed.ts';

const head = recordedRun('02-unchanged');
/** Unchanged runs on machines that take so many times as long as head's, oldest first. */
const history = (...factors: readonly number[]): Run[] =>
  factors.map((factor, at) => ({ ...slowedBy(factor, head), id: `run-${at}` }));
const chosen = (run: Run, runs: readonly Run[]) =>
  atSpeedOf(run, runs, recordedConfig.signals).map(({ id }) => id);
const namesOf = (...at: readonly number[]) => at.map((one) => `run-${one}`);

it('takes only runs at head’s speed, however old they are', () => {
  expect(chosen(head, history(1, 1.2, 0.85, 1.4, 1.4, 0.6))).toEqual(namesOf(0, 1, 2));
});

it('takes all runs if fewer than three are at head’s speed', () => {
  expect(chosen(head, history(1, 1.4, 1, 1.4, 0.6))).toEqual(namesOf(0, 1, 2, 3, 4));
});

it('takes up to three runs at any speed', () => {
  expect(chosen(head, history(1, 1.4, 1.4))).toEqual(namesOf(0, 1, 2));
});

it('knows no speed of a head that gives the generator other work, or makes it wait', () => {
  const runs = history(1.4, 1.4, 1.4, 1, 1, 1);
  const all = namesOf(0, 1, 2, 3, 4, 5);
  const larger = withBlocks(head, (block) => ({
    ...block,
    signals: { ...block.signals, bytesReceived: 2 * (block.signals.bytesReceived ?? 0) },
  }));
  const waiting = withBlocks(head, (block) => ({
    ...block,
    tps: block.tps / 2,
    usage: Object.fromEntries(
      Object.entries(block.usage).map(([part, usage]) => [part, { ...usage, cpuShare: usage.cpuShare / 2 }]),
    ),
  }));
  expect(chosen(larger, runs)).toEqual(all);
  expect(chosen(waiting, runs)).toEqual(all);
  expect(chosen(head, runs)).toEqual(namesOf(3, 4, 5));
});

it('takes all runs if nobody measured the generator', () => {
  const unknown = withBlocks(head, (block) => ({ ...block, usage: {} }));
  expect(chosen(unknown, history(1, 1, 1, 1.4))).toEqual(namesOf(0, 1, 2, 3));
});
