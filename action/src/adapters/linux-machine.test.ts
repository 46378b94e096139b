import { describe, expect, it } from 'vitest';
import { createLinuxMachine, parseMachine, parseStat } from './linux-machine.ts';

describe('parseStat', () => {
  it('finds the fields behind a command that holds spaces and parentheses', () => {
    const text =
      '4242 (a) b (c) S 17 4242 4242 0 -1 4194560 100 0 0 0 250 50 7 3 20 0 30 0 12345 1000000 2048 18446744073709551615';
    expect(parseStat(text)).toEqual({ pid: 4242, parent: 17, cpuTicks: 310, rssPages: 2048 });
  });

  it('knows what is no stat line', () => {
    expect(parseStat('')).toBeUndefined();
  });
});

describe('parseMachine', () => {
  it('tells work from idling, waiting for a disk and stolen time', () => {
    const text = 'cpu  1000 100 400 5000 300 20 80 250 40 0\ncpu0 1 2 3 4 5 6 7 8 9 0\n';
    expect(parseMachine(text)).toEqual({
      totalSeconds: 71.5,
      busySeconds: 16,
      ioWaitSeconds: 3,
      stolenSeconds: 2.5,
    });
  });
});

describe('createLinuxMachine', () => {
  const machine = createLinuxMachine({});

  it('sees CPU time pass and its own memory', () => {
    const before = machine.read().totalSeconds;
    const until = performance.now() + 300;
    while (performance.now() < until);
    expect(machine.read().totalSeconds).toBeGreaterThan(before);
    expect(machine.readProcesses([process.pid]).rssBytes).toBeGreaterThan(1_000_000);
    expect(machine.readSelf().cpuSeconds).toBeGreaterThan(0.2);
  });

  it('counts nothing for a process that is gone', () => {
    expect(machine.readProcesses([2 ** 22 + 1])).toEqual({ cpuSeconds: 0, rssBytes: 0 });
  });
});
