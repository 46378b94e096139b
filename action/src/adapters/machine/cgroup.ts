import { posix } from 'node:path';
import type { ProcessReading } from '../../measure/index.ts';
import { readKernelFile } from './kernel-file.ts';

type Layout = 'v1' | 'v2';

/** Files with the usage of one control group. */
interface CgroupFiles {
  /** v1: nanoseconds in `cpuacct.usage`. v2: `usage_usec` in `cpu.stat`. */
  readonly cpu: { readonly layout: Layout; readonly path: string };
  /** `memory.stat` in both layouts, with different names in it. */
  readonly memory: { readonly layout: Layout; readonly path: string };
}

interface Mount {
  /** Which part of the hierarchy is mounted there. */
  readonly root: string;
  readonly point: string;
}

/** The unified hierarchy of v2 names no controllers; this key stands for it. */
const unified = '';

/**
 * Finds the usage files of a process's control group.
 *
 * @param cgroup text of /proc/PID/cgroup: lines `number:controllers:path` (man 7 cgroups)
 * @param mountInfo text of /proc/self/mountinfo (man 5 proc)
 * @returns undefined if the group is not mounted here, as is the case in some containers
 */
export function cgroupFiles(cgroup: string, mountInfo: string): CgroupFiles | undefined {
  const cpu = groupFolder(cgroup, mountInfo, 'cpuacct');
  const memory = groupFolder(cgroup, mountInfo, 'memory');
  if (cpu === undefined || memory === undefined) return undefined;
  const cpuFile = cpu.layout === 'v1' ? 'cpuacct.usage' : 'cpu.stat';
  return {
    cpu: { layout: cpu.layout, path: posix.join(cpu.path, cpuFile) },
    memory: { layout: memory.layout, path: posix.join(memory.path, 'memory.stat') },
  };
}

/** Where the files of a controller lie for the group of /proc/PID/cgroup. Undefined if the group is not mounted here. */
export function groupFolder(
  cgroup: string,
  mountInfo: string,
  controller: string,
): { readonly layout: Layout; readonly path: string; readonly mountPoint: string } | undefined {
  const paths = parsePaths(cgroup);
  const mounts = parseMounts(mountInfo);
  const folder = (key: string, layout: Layout) => {
    const path = paths.get(key);
    const mount = mounts.get(key);
    // The kernel writes `/../other` for a group above this process's namespace.
    if (path === undefined || mount === undefined || path.startsWith('/..')) return undefined;
    const below = posix.relative(mount.root, path);
    if (below.startsWith('..')) return undefined;
    return { layout, path: posix.join(mount.point, below), mountPoint: mount.point };
  };
  // Where both layouts are mounted, the unified hierarchy has no controllers: v1 comes first.
  return folder(controller, 'v1') ?? folder(unified, 'v2');
}

/** CPU seconds that the group and everything below it has used since it was created. */
export function cpuSecondsIn(text: string, layout: Layout): number {
  return layout === 'v1' ? Number(text.trim()) / 1e9 : (statistics(text).get('usage_usec') ?? 0) / 1e6;
}

/**
 * Resident bytes as a process's RSS counts them: its own memory and the file pages it has mapped. The page cache, which
 * `memory.usage_in_bytes` and `memory.current` include, grows with every file read and says nothing about the service.
 */
export function residentBytesIn(text: string, layout: Layout): number {
  const values = statistics(text);
  const names = layout === 'v1' ? ['total_rss', 'total_mapped_file'] : ['anon', 'file_mapped'];
  return names.reduce((sum, name) => sum + (values.get(name) ?? 0), 0);
}

/** Reads the usage of one process's control group, its descendants included. */
export class CgroupReader {
  readonly #files: CgroupFiles;
  #last: ProcessReading = { cpuSeconds: 0, rssBytes: 0 };

  constructor(files: CgroupFiles) {
    this.#files = files;
  }

  /**
   * Undefined if the container does not run or its group is not visible here. With an engine on another machine, `pid`
   * belongs to some other process here. Engines put the container's id into the group's path, which reveals that.
   */
  static ofContainer({ id, pid }: { readonly id: string; readonly pid: number }): CgroupReader | undefined {
    const cgroup = readKernelFile(`/proc/${pid}/cgroup`) ?? '';
    if (!cgroup.includes(id)) return undefined;
    const files = cgroupFiles(cgroup, readKernelFile('/proc/self/mountinfo') ?? '');
    return files === undefined || readKernelFile(files.cpu.path) === undefined
      ? undefined
      : new CgroupReader(files);
  }

  /** Repeats the last reading once the group is gone. Reads no bytes where the kernel counts none. */
  read(): ProcessReading {
    const cpu = readKernelFile(this.#files.cpu.path);
    const memory = readKernelFile(this.#files.memory.path);
    const { cpuSeconds, rssBytes } = this.#last;
    this.#last = {
      cpuSeconds: cpu === undefined ? cpuSeconds : cpuSecondsIn(cpu, this.#files.cpu.layout),
      rssBytes: memory === undefined ? rssBytes : residentBytesIn(memory, this.#files.memory.layout),
    };
    return this.#last;
  }
}

function parsePaths(text: string): Map<string, string> {
  return new Map(
    [...text.matchAll(/^\d+:([^:]*):(\/.*)$/gm)].flatMap(([, controllers = '', path = '']) =>
      controllers.split(',').map((controller): [string, string] => [controller, path]),
    ),
  );
}

/** Keeps the first mount of each controller: later ones show parts of the same hierarchy. */
function parseMounts(text: string): Map<string, Mount> {
  const mounts = new Map<string, Mount>();
  for (const line of text.split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    const [, , , root = '', point = ''] = before.split(' ');
    const [type, , options = ''] = after.split(' ');
    if (type !== 'cgroup' && type !== 'cgroup2') continue;
    for (const controller of type === 'cgroup2' ? [unified] : options.split(',')) {
      if (!mounts.has(controller)) mounts.set(controller, { root: unescaped(root), point: unescaped(point) });
    }
  }
  return mounts;
}

/** mountinfo writes spaces and the like as octal numbers. */
function unescaped(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

function statistics(text: string): Map<string, number> {
  return new Map([...text.matchAll(/^(\w+) (\d+)$/gm)].map(([, name = '', value]) => [name, Number(value)]));
}
