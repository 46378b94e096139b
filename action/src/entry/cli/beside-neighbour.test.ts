import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { readProcesses } from '../../adapters/machine/index.ts';
import { besideNeighbour } from './beside-neighbour.ts';

/** CPU seconds of the processes that this one started. */
function startedCpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return readProcesses([process.pid]).cpuSeconds - (user + system) / 1e6;
}

/** Processes that this one started and that have not ended. */
function started(): readonly string[] {
  return readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean);
}

it('takes CPU that does not count as the own, for as long as the work takes', async () => {
  const done = await besideNeighbour(async () => {
    while (startedCpuSeconds() < 1) await setTimeout(20);
    expect(started()).toHaveLength(1);
    return 'done';
  });
  expect(done).toBe('done');
  expect(started()).toEqual([]);
});

it('is out of reach of the Ctrl-C that ends the work', async () => {
  await besideNeighbour(async () => {
    const [pid = ''] = started();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [, , processGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    expect(processGroup).toBe(pid);
  });
});

it('fails as the work does', async () => {
  await expect(besideNeighbour(() => Promise.reject(new Error('no port')))).rejects.toThrow('no port');
});
