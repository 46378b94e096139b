import { createFixture } from 'fs-fixture';
import { describe, expect, it } from 'vitest';
import { CgroupReader, cgroupFiles, cpuSecondsIn, residentBytesIn } from './cgroup.ts';

const id = 'a1b2c3';

const v1 = {
  cgroup: [
    '9:name=systemd:/docker/a1b2c3',
    '4:memory:/docker/a1b2c3',
    '2:cpu,cpuacct:/docker/a1b2c3',
    '0::/',
    '',
  ].join('\n'),
  mountInfo: [
    '22 28 0:21 / /sys rw,nosuid shared:7 - sysfs sysfs rw',
    '33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct',
    '35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory',
    '41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw',
  ].join('\n'),
};

const v2 = {
  cgroup: `0::/system.slice/docker-${id}.scope\n`,
  mountInfo:
    '25 28 0:22 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:4 - cgroup2 cgroup2 rw,nsdelegate',
};

describe('the files of a control group', () => {
  it('lie in one hierarchy per controller (v1), next to an empty unified one', () => {
    expect(cgroupFiles(v1.cgroup, v1.mountInfo)).toEqual({
      cpu: { layout: 'v1', path: `/sys/fs/cgroup/cpu,cpuacct/docker/${id}/cpuacct.usage` },
      memory: { layout: 'v1', path: `/sys/fs/cgroup/memory/docker/${id}/memory.stat` },
    });
  });

  it('lie in one hierarchy for all controllers (v2)', () => {
    expect(cgroupFiles(v2.cgroup, v2.mountInfo)).toEqual({
      cpu: { layout: 'v2', path: `/sys/fs/cgroup/system.slice/docker-${id}.scope/cpu.stat` },
      memory: { layout: 'v2', path: `/sys/fs/cgroup/system.slice/docker-${id}.scope/memory.stat` },
    });
  });

  it('lie below the mounted part, in a folder with spaces', () => {
    const mountInfo = '25 28 0:22 /docker/outer /my\\040cgroups rw - cgroup2 cgroup2 rw';
    expect(cgroupFiles('0::/docker/outer/inner\n', mountInfo)?.cpu.path).toBe('/my cgroups/inner/cpu.stat');
  });

  it.each([
    [
      'the group lies outside of the mounted part',
      '0::/docker/other\n',
      '25 28 0:22 /docker/outer /c rw - cgroup2 c rw',
    ],
    ['the group lies above the namespace', '0::/../other\n', v2.mountInfo],
    ['nothing is mounted', v2.cgroup, ''],
    ['the process has ended', '', v2.mountInfo],
  ])('are unknown if %s', (_, cgroup, mountInfo) => {
    expect(cgroupFiles(cgroup, mountInfo)).toBeUndefined();
  });
});

describe('the figures of a control group', () => {
  it('are nanoseconds in v1 and microseconds in v2', () => {
    expect(cpuSecondsIn('12500000000\n', 'v1')).toBe(12.5);
    expect(cpuSecondsIn('usage_usec 12500000\nuser_usec 12000000\nsystem_usec 500000\n', 'v2')).toBe(12.5);
  });

  it('leave out page cache that no process has mapped', () => {
    const first = 'cache 900\nrss 1\nmapped_file 1\ntotal_cache 900\ntotal_rss 300\ntotal_mapped_file 40\n';
    expect(residentBytesIn(first, 'v1')).toBe(340);
    expect(residentBytesIn('anon 300\nfile 900\nfile_mapped 40\ninactive_file 860\n', 'v2')).toBe(340);
  });

  it("are the CPU's alone where the kernel counts no memory", async () => {
    await using fixture = await createFixture({ 'cpu.stat': 'usage_usec 2000000\n' });
    const at = (name: string) => ({ layout: 'v2', path: fixture.getPath(name) }) as const;
    const reader = new CgroupReader({ cpu: at('cpu.stat'), memory: at('memory.stat') });
    expect(reader.read()).toEqual({ cpuSeconds: 2, rssBytes: 0 });
    await fixture.rm('cpu.stat');
    expect(reader.read().cpuSeconds).toBe(2);
  });
});
