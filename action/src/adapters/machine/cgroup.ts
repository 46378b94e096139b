import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import type { ProcessReading } from '../../measure/index.ts';

/** Files that tell what one control group uses; the kernel's layout decides which. */
export interface CgroupFiles {
  /** v1: nanoseconds in `cpuacct.usage`. v2: `usage_usec` in `cpu.stat`. */
  readonly cpu: { readonly layout: 'v1' | 'v2'; readonly path: string };
  /** `memory.stat` in both layouts, with other names in it. */
  readonly memory: { readonly layout: 'v1' | 'v2'; readonly path: string };
}

interface Mount {
  /** Which part of the hierarchy is mounted there. */
  readonly root: string;
  readonly point: string;
}

/** The unified hierarchy of v2 has no controllers in its line; this stands for it. */
const unified = '';

/**
 * Where the figures of a process's control group lie.
 *
 * @param cgroup text of /proc/PID/cgroup: lines `number:controllers:path` (man 7 cgroups)
 * @param mountInfo text of /proc/self/mountinfo (man 5 proc)
 * @returns undefined if the group lies outside of what is mounted here, as seen from within some containers
 */
export function cgroupFiles(cgroup: string, mountInfo: string): CgroupFiles | undefined {
  const paths = parsePaths(cgroup);
  const mounts = parseMounts(mountInfo);
  // Controllers of v1 that are mounted count; where both layouts are mounted, v2 then has no controllers.
  const directory = (controller: string): { layout: 'v1' | 'v2'; path: string } | undefined => {
    for (const [key, layout] of [
      [controller, 'v1'],
      [unified, 'v2'],
    ] as const) {
      const path = paths.get(key);
      const mount = mounts.get(key);
      if (path === undefined || mount === undefined) continue;
      // Above the namespace that this process is in, the kernel writes `/../other`.
      if (path.startsWith('/..')) continue;
      const below = posix.relative(mount.root, path);
      if (!below.startsWith('..')) return { layout, path: posix.join(mount.point, below) };
    }
    return undefined;
  };
  const cpu = directory('cpuacct');
  const memory = directory('memory');
  if (cpu === undefined || memory === undefined) return undefined;
  return {
    cpu: {
      layout: cpu.layout,
      path: posix.join(cpu.path, cpu.layout === 'v1' ? 'cpuacct.usage' : 'cpu.stat'),
    },
    memory: { layout: memory.layout, path: posix.join(memory.path, 'memory.stat') },
  };
}

/** CPU seconds that the group and everything below it has used since it was made. */
export function cpuSecondsIn(text: string, layout: 'v1' | 'v2'): number {
  return layout === 'v1' ? Number(text.trim()) / 1e9 : (statistics(text).get('usage_usec') ?? 0) / 1e6;
}

/**
 * Resident bytes, as a process's RSS counts them: its own memory and the file pages it has mapped. The page cache
 * beside that (`memory.usage_in_bytes`, `memory.current`) grows with whatever files were read and says nothing about
 * the service.
 */
export function residentBytesIn(text: string, layout: 'v1' | 'v2'): number {
  const values = statistics(text);
  const names = layout === 'v1' ? ['total_rss', 'total_mapped_file'] : ['anon', 'file_mapped'];
  return names.reduce((sum, name) => sum + (values.get(name) ?? 0), 0);
}

/** Reads what the control group of one process uses, its descendants included. */
export class CgroupReader {
  readonly #files: CgroupFiles;
  #last: ProcessReading = { cpuSeconds: 0, rssBytes: 0 };

  constructor(files: CgroupFiles) {
    this.#files = files;
  }

  /**
   * Undefined if it does not run (any more), or its group cannot be seen from here. The engine may be on another
   * machine, where its process has a number that is somebody else's on this one: engines name groups by containers.
   */
  static ofContainer({ id, pid }: { readonly id: string; readonly pid: number }): CgroupReader | undefined {
    const cgroup = readIfThere(`/proc/${pid}/cgroup`);
    const mountInfo = readIfThere('/proc/self/mountinfo');
    if (cgroup === undefined || mountInfo === undefined || !cgroup.includes(id)) return undefined;
    const files = cgroupFiles(cgroup, mountInfo);
    return files === undefined || readIfThere(files.cpu.path) === undefined
      ? undefined
      : new CgroupReader(files);
  }

  /** The last reading if the group is gone: what was used stays used. No bytes where the kernel does not count them. */
  read(): ProcessReading {
    const cpu = readIfThere(this.#files.cpu.path);
    const memory = readIfThere(this.#files.memory.path);
    const { cpuSeconds, rssBytes } = this.#last;
    this.#last = {
      cpuSeconds: cpu === undefined ? cpuSeconds : cpuSecondsIn(cpu, this.#files.cpu.layout),
      rssBytes: memory === undefined ? rssBytes : residentBytesIn(memory, this.#files.memory.layout),
    };
    return this.#last;
  }
}

function parsePaths(text: string): Map<string, string> {
  const paths = new Map<string, string>();
  for (const line of text.split('\n')) {
    const match = /^\d+:([^:]*):(\/.*)$/.exec(line);
    if (match === null) continue;
    const [, controllers = '', path = ''] = match;
    for (const controller of controllers.split(',')) paths.set(controller, path);
  }
  return paths;
}

/** The first mount of each controller: later ones show parts of the same. */
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

/** Spaces and the like stand as octal numbers in mountinfo. */
function unescaped(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

function statistics(text: string): Map<string, number> {
  return new Map(
    text
      .split('\n')
      .map((line) => line.split(' '))
      .map(([name = '', value = '']) => [name, Number(value)]),
  );
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    // ENODEV and ESRCH: removed between opening and reading.
    if (['ENOENT', 'ENODEV', 'ESRCH', 'EACCES'].includes(code)) return undefined;
    throw error;
  }
}
