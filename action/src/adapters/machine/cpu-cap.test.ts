import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createFixture } from 'fs-fixture';
import { describe, expect, it } from 'vitest';
import { CpuCap } from './cpu-cap.ts';

/** Folders that look like the hierarchies of the kernel, with what it says about them. */
async function groupsOf(files: Readonly<Record<string, string>>, layout: 'v1' | 'v2', own: string) {
  const fixture = await createFixture(files);
  const type = layout === 'v1' ? 'cgroup cgroup rw,cpu,cpuacct' : 'cgroup2 cgroup2 rw';
  return {
    fixture,
    groups: {
      cgroup: layout === 'v1' ? `4:memory:/elsewhere\n2:cpu,cpuacct:${own}\n` : `0::${own}\n`,
      mountInfo: `33 31 0:30 / ${fixture.getPath('')} rw,relatime - ${type}`,
    },
    read: (path: string) => readFile(fixture.getPath(path), 'utf8'),
    [Symbol.asyncDispose]: () => fixture.rm(),
  };
}

describe('a cap of CPU', () => {
  it('is a group below the own one in v1', async () => {
    await using made = await groupsOf({ 'own/tasks': '' }, 'v1', '/own');
    const cap = CpuCap.create('capped', 0.5, made.groups);
    expect(await made.read('own/capped/cpu.cfs_quota_us')).toBe('50000');
    expect(await made.read('own/capped/cpu.cfs_period_us')).toBe('100000');
    expect(cap.within(['java', '-jar', 'a.jar']).slice(-4)).toEqual([
      made.fixture.getPath('own/capped/cgroup.procs'),
      'java',
      '-jar',
      'a.jar',
    ]);
  });

  it('is a group next to the own one in v2, which has processes', async () => {
    await using made = await groupsOf(
      { 'slice/cgroup.subtree_control': 'memory', 'slice/own/cgroup.procs': '' },
      'v2',
      '/slice/own',
    );
    CpuCap.create('capped', 1.25, made.groups);
    expect(await made.read('slice/cgroup.subtree_control')).toBe('+cpu');
    expect(await made.read('slice/capped/cpu.max')).toBe('125000 100000');
  });

  it('leaves controllers as they are, and takes a group that was left', async () => {
    await using made = await groupsOf(
      { 'cgroup.subtree_control': 'cpu memory', 'capped/cgroup.procs': '' },
      'v2',
      '/',
    );
    CpuCap.create('capped', 2, made.groups);
    expect(await made.read('cgroup.subtree_control')).toBe('cpu memory');
    expect(await made.read('capped/cpu.max')).toBe('200000 100000');
  });

  it.each([
    ['no group is mounted', { cgroup: '', mountInfo: '' }],
    [
      'the group may not be made',
      { cgroup: '2:cpu:/\n', mountInfo: '33 31 0:30 / /proc/self rw - cgroup cgroup rw,cpu' },
    ],
  ])('is refused if %s', (_, own) => {
    expect(() => CpuCap.create('capped', 1, own)).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ code: 'E_CPU_CAP' }) }),
    );
  });

  it('is gone once nothing runs in it', async () => {
    await using made = await groupsOf({}, 'v1', '/');
    const cap = CpuCap.create('capped', 1, made.groups);
    // The kernel's own files do not keep a group from being removed, other than those of this folder.
    await made.fixture.rm('capped/cpu.cfs_quota_us');
    await made.fixture.rm('capped/cpu.cfs_period_us');
    cap.remove();
    expect(existsSync(made.fixture.getPath('capped'))).toBe(false);
    cap.remove();
  });
});
