import { expect, it } from 'vitest';
import { config, simulated, stack } from '../../test/fakes/simulated-service.ts';
import type { LoadSeries } from '../model/series.ts';
import type { Side } from './context.ts';
import { planSuite } from './plan.ts';
import type { Progress, Stack } from './ports.ts';
import { withSteadyService } from './steady-service.ts';

function steadily<T>(of: Stack, work: Parameters<typeof withSteadyService<T>>[4], series: LoadSeries[] = []) {
  const progress: Progress[] = [];
  const side: Side = {
    name: 'head',
    id: 'run-1',
    stack: of,
    code: { commit: '', branch: '', dirty: false },
    keepSeries: async (one) => void series.push(one),
    keepProfile: async () => undefined,
  };
  const options = {
    config,
    configDirectory: '/perf',
    plan: planSuite(config, 'pr', 'gate.yml'),
    loadHash: '',
    onProgress: (event: Progress) => progress.push(event),
  };
  const done = withSteadyService(simulated(), side, options, new AbortController().signal, work);
  return { done, progress };
}

const block = { round: 0, name: 'browse at 2 VUs', progress: () => ({ done: 0.5, secondsLeft: 7 }) };

it('boots, warms up and limits CPU once, takes blocks in any order, keeps their series, and stops', async () => {
  const calls: string[] = [];
  const noted: Stack = {
    ...stack,
    boot: async (signal) => {
      calls.push('boot');
      const limitCpu = async () => void calls.push(`limit after ${series.length > 0}`);
      return { ...(await stack.boot(signal)), limitCpu };
    },
    down: async () => void calls.push('down'),
  };
  const series: LoadSeries[] = [];
  const { done } = steadily(
    noted,
    async ({ cells: [cell], take, warm }) => {
      if (cell === undefined) throw new Error('the plan has no cell');
      calls.push(`warm ${warm.windows.length > 0}`);
      const rounds = [];
      for (const round of [0, 1]) rounds.push((await take(cell, { ...block, round })).block.round);
      return rounds;
    },
    series,
  );
  expect(await done).toEqual([0, 1]);
  expect(calls).toEqual(['boot', 'limit after true', 'warm true', 'down']);
  expect(series.filter(({ phase }) => phase === 'block')).toHaveLength(2);
});

it('stops the stack if the work fails, and says so if that fails too', async () => {
  const { done, progress } = steadily({ ...stack, down: () => Promise.reject(new Error('it hangs')) }, () =>
    Promise.reject(new Error('no more steps')),
  );
  await expect(done).rejects.toThrow('no more steps');
  expect(progress).toContainEqual({ kind: 'note', text: 'the stack could not be stopped: Error: it hangs' });
});

it('ends the work with the fault of a service that dies', async () => {
  let die: (fault: Error) => void = () => undefined;
  const dying: Stack = {
    ...stack,
    boot: async (signal) => ({
      ...(await stack.boot(signal)),
      failure: new Promise((_, fail) => {
        die = fail;
      }),
    }),
  };
  const { done } = steadily(dying, (_, signal) => {
    const ended = new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
    die(new Error('the service ended'));
    return ended;
  });
  await expect(done).rejects.toThrow('the service ended');
});

it('hands out no block during which the stack failed, even if the stack reports it late', async () => {
  let lost = false;
  const losing: Stack = {
    ...stack,
    boot: async (signal) => ({
      ...(await stack.boot(signal)),
      verify: () => (lost ? Promise.reject(new Error('an instance was lost')) : Promise.resolve()),
    }),
  };
  const taken: number[] = [];
  const series: LoadSeries[] = [];
  const { done } = steadily(
    losing,
    async ({ cells: [cell], take }) => {
      if (cell === undefined) throw new Error('the plan has no cell');
      for (const round of [0, 1]) {
        lost = round === 1;
        taken.push((await take(cell, { ...block, round })).block.round);
      }
    },
    series,
  );
  await expect(done).rejects.toThrow('an instance was lost');
  expect(taken).toEqual([0]);
  expect(series.filter(({ phase }) => phase === 'block')).toHaveLength(1);
});
