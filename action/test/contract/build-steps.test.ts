import { readFile, rm } from 'node:fs/promises';
import { createFixture, type FsFixture } from 'fs-fixture';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSystemClock } from '../../src/adapters/host/system-clock.ts';
import { runBuildSteps } from '../../src/adapters/process/build-steps.ts';
import { StackWork } from '../../src/adapters/process/stack-work.ts';

let fixture: FsFixture;
const notes: string[] = [];
/** Appends a line to out.txt each time it runs. */
const step = {
  command: ['sh', '-c', 'cat src/a.txt >> out.txt'],
  inputs: ['src'],
  outputs: ['out.txt'],
};

beforeEach(async () => {
  fixture = await createFixture({ 'src/a.txt': 'a\n' });
  notes.length = 0;
});
afterEach(() => fixture.rm());

const build = (
  steps: Parameters<typeof runBuildSteps>[0] = [step],
  signal = new AbortController().signal,
) => {
  const env = { PATH: process.env.PATH };
  const work = new StackWork(
    {
      config: undefined,
      root: fixture.path,
      cacheDirectory: fixture.path,
      workDirectory: fixture.path,
      logDirectory: fixture.path,
      env,
      clock: createSystemClock(),
      note: (text) => notes.push(text),
    },
    'processes.json',
  );
  return runBuildSteps(steps, work, env, signal);
};
const output = () => readFile(fixture.getPath('out.txt'), 'utf8');

describe('runBuildSteps', () => {
  it('builds once while nothing changes', async () => {
    await build();
    await build();
    expect(await output()).toBe('a\n');
    expect(notes).toEqual(['building out.txt']);
  });

  it('builds again if an input changes or is added, or an output is missing', async () => {
    await build();
    await fixture.writeFile('src/a.txt', 'b\n');
    await build();
    expect(await output()).toBe('a\nb\n');
    await fixture.writeFile('src/c.txt', 'c\n');
    await build();
    expect(await output()).toBe('a\nb\nb\n');
    await rm(fixture.getPath('out.txt'));
    await build();
    expect(await output()).toBe('b\n');
  });

  it('builds every time without declared inputs', async () => {
    const { inputs: _, ...always } = step;
    await build([always]);
    await build([always]);
    expect(await output()).toBe('a\na\n');
  });

  it('reports a failing command with its last lines, and builds again the next time', async () => {
    const failing = { ...step, command: ['sh', '-c', 'echo compiler: no >&2; exit 3'] };
    await expect(build([failing])).rejects.toMatchObject({
      details: { code: 'E_BUILD', cause: 'the command ended with exit code 3', logTail: ['compiler: no'] },
    });
    await expect(build([failing])).rejects.toMatchObject({ details: { code: 'E_BUILD' } });
  });

  it('reports a missing output and a missing input', async () => {
    await expect(build([{ ...step, command: ['true'] }])).rejects.toMatchObject({
      details: { code: 'E_BUILD', cause: 'the command did not write out.txt' },
    });
    await expect(build([{ ...step, inputs: ['nowhere'] }])).rejects.toMatchObject({
      details: { code: 'E_BUILD_INPUT', place: 'nowhere' },
    });
  });

  it('ends the command on an abort', async () => {
    const controller = new AbortController();
    const slow = { ...step, command: ['sh', '-c', 'echo started >> out.txt; sleep 600'] };
    const building = build([slow], controller.signal);
    await expect.poll(() => output().catch(() => '')).toContain('started');
    controller.abort(new Error('stop'));
    await expect(building).rejects.toThrow('stop');
  });

  it('ends the command on an abort while it starts', async () => {
    const controller = new AbortController();
    const slow = { ...step, command: ['sh', '-c', 'sleep 600'] };
    const building = build([slow], controller.signal);
    // The process exists by now, but its `spawn` event has not arrived.
    controller.abort(new Error('stop'));
    await expect(building).rejects.toThrow('stop');
  });
});
