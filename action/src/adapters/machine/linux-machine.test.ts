import { createFixture } from 'fs-fixture';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLinuxMachine, parseMachine } from './linux-machine.ts';

describe('parseMachine', () => {
  it('separates work from idle, disk wait and stolen time', () => {
    const text = 'cpu  1000 100 400 5000 300 20 80 250 40 0\ncpu0 1 2 3 4 5 6 7 8 9 0\n';
    expect(parseMachine(text)).toEqual({
      totalSeconds: 71.5,
      busySeconds: 16,
      ioWaitSeconds: 3,
      stolenSeconds: 2.5,
    });
  });
});

describe('the place of a machine', () => {
  async function place(env: NodeJS.ProcessEnv, machineId?: string, ci = true) {
    const fixture = await createFixture(machineId === undefined ? {} : { 'machine-id': machineId });
    onTestFinished(() => fixture.rm());
    const { runner, host } = createLinuxMachine({ ci, env }, fixture.getPath('machine-id')).describe();
    return { runner, host };
  }
  const selfHosted = { RUNNER_ARCH: 'X64', RUNNER_NAME: 'bench-1' };

  it('is `local` outside of CI', async () => {
    expect(await place({}, 'a1\n', false)).toEqual({ runner: 'local', host: undefined });
  });

  it("is the image on GitHub's own runners", async () => {
    const hosted = { ...selfHosted, ImageOS: 'ubuntu24' };
    expect(await place(hosted, 'a1\n')).toEqual({ runner: 'ubuntu24 X64', host: undefined });
  });

  it('names the host on any other CI, without revealing its name', async () => {
    const { runner, host } = await place(selfHosted, 'a1\n');
    expect(runner).toBe('self-hosted X64');
    expect(host).toMatch(/^[0-9a-f]{16}$/);
    expect(await place({ ...selfHosted }, 'a1\n')).toEqual({ runner, host });
    expect((await place({}, 'a1\n')).runner).toBe('self-hosted');
  });

  it("changes with the runner's name and with the machine's id", async () => {
    const hosts = await Promise.all([
      place(selfHosted, 'a1\n'),
      place(selfHosted, 'b2\n'),
      place({ ...selfHosted, RUNNER_NAME: 'bench-2' }, 'a1\n'),
      place(selfHosted),
    ]);
    expect(new Set(hosts.map(({ host }) => host)).size).toBe(4);
  });

  it('has no host if both are unknown', async () => {
    expect((await place({})).host).toBeUndefined();
    expect((await place({}, 'uninitialized\n')).host).toBeUndefined();
  });
});

describe('createLinuxMachine', () => {
  const machine = createLinuxMachine({ ci: false, env: {} });

  it('reads CPU time and memory', () => {
    const before = machine.read().totalSeconds;
    const until = performance.now() + 300;
    while (performance.now() < until);
    expect(machine.read().totalSeconds).toBeGreaterThan(before);
    expect(machine.readProcesses([process.pid]).rssBytes).toBeGreaterThan(1_000_000);
    expect(machine.readSelf().cpuSeconds).toBeGreaterThan(0.2);
  });

  it('counts nothing for a process that has ended', () => {
    expect(machine.readProcesses([2 ** 22 + 1])).toEqual({ cpuSeconds: 0, rssBytes: 0 });
  });
});
