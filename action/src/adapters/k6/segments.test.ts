import { expect, it } from 'vitest';
import type { LoadSink, LoadSpec, RunningLoad } from '../../measure/index.ts';
import { inSegments } from './segments.ts';

const spec = { stages: [{ seconds: 1, vus: 6 }], env: {} } as unknown as LoadSpec;
const sink = {} as LoadSink;

/** Processes that run until they are ended; the second one does what is given. */
function started(second: (ended: Promise<never>) => RunningLoad) {
  const outcomes: unknown[] = [];
  const load = () =>
    inSegments(3, spec, sink, new AbortController().signal, (_, __, signal) => {
      const ended = new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          outcomes.push(signal.reason);
          reject(signal.reason);
        });
      });
      ended.catch(() => {});
      count += 1;
      return count === 2 ? second(ended) : { pids: [count], done: ended };
    });
  let count = 0;
  return { load, outcomes };
}

it('ends the other processes if the output of one cannot be read', async () => {
  const unreadable = new Error('a row without a time');
  const { load, outcomes } = started(() => ({ pids: [2], done: Promise.reject(unreadable) }));
  await expect(load().done).rejects.toBe(unreadable);
  expect(outcomes).toHaveLength(3);
});

it('ends the processes before one that cannot be started', () => {
  const missing = new Error('no k6');
  const { load, outcomes } = started(() => {
    throw missing;
  });
  expect(load).toThrow(missing);
  expect(outcomes.length).toBeGreaterThanOrEqual(1);
});
