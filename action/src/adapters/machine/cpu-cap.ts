import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Fault } from '../../model/fault.ts';
import { groupFolder } from './cgroup.ts';
import { readKernelFile } from './kernel-file.ts';

/** Microseconds of each turn within which a group gets its share: the kernel's own default. */
const periodUs = 100_000;

/**
 * Cores that a service gets until it is warm, if it may use `cpus` of them later: whole ones, so that a JVM under half a core
 * does not compile for minutes. A JVM counts a part of a core as a whole one too, so it chooses the same collector and
 * the same numbers of threads.
 */
export function cpusUntilWarm(cpus: number): number {
  return Math.ceil(cpus);
}

/** What the kernel says about this process's groups. */
interface OwnGroups {
  /** Text of /proc/self/cgroup. */
  readonly cgroup: string;
  /** Text of /proc/self/mountinfo. */
  readonly mountInfo: string;
}

function ownGroups(): OwnGroups {
  const text = (name: string) => readKernelFile(`/proc/self/${name}`) ?? '';
  return { cgroup: text('cgroup'), mountInfo: text('mountinfo') };
}

/** A control group that limits the CPU of what runs in it, everything that it starts included. */
export class CpuCap {
  readonly #folder: string;
  readonly #layout: 'v1' | 'v2';

  private constructor(folder: string, layout: 'v1' | 'v2') {
    this.#folder = folder;
    this.#layout = layout;
  }

  /**
   * Creates the group, or takes the one that an earlier check of that name left. Throws a Fault if it may not.
   *
   * @param cpus cores that it may use, such as 0.5
   */
  static create(name: string, cpus: number, own: OwnGroups = ownGroups()): CpuCap {
    // As in a reader of usage: where both layouts are mounted, the unified hierarchy has no controllers.
    const group = groupFolder(own.cgroup, own.mountInfo, 'cpu');
    if (group === undefined) throw notCapped('/sys/fs/cgroup', 'no control group of this process is mounted');
    // In v2 only a group without processes may limit others, and this process is in its own.
    const isOwn = group.layout === 'v2' && group.path !== group.mountPoint;
    const parent = isOwn ? dirname(group.path) : group.path;
    const folder = join(parent, name);
    const cap = new CpuCap(folder, group.layout);
    try {
      if (group.layout === 'v2') allowCpu(parent);
      make(folder);
    } catch (error) {
      throw notCapped(folder, (error as Error).message, error);
    }
    cap.set(cpus);
    return cap;
  }

  /** Changes the limit, also of what runs already. Throws a Fault if it may not. */
  set(cpus: number): void {
    const quotaUs = Math.round(cpus * periodUs);
    const write = (file: string, text: string) => writeFileSync(join(this.#folder, file), text);
    try {
      if (this.#layout === 'v2') write('cpu.max', `${quotaUs} ${periodUs}`);
      else {
        write('cpu.cfs_period_us', `${periodUs}`);
        write('cpu.cfs_quota_us', `${quotaUs}`);
      }
    } catch (error) {
      throw notCapped(this.#folder, (error as Error).message, error);
    }
  }

  /** The command that enters the group before it becomes the given one, so that all of it is limited. */
  within(command: readonly string[]): readonly string[] {
    return ['sh', '-c', 'echo $$ > "$0" && exec "$@"', join(this.#folder, 'cgroup.procs'), ...command];
  }

  /** A group that something still runs in stays, and the next check takes it. */
  remove(): void {
    try {
      rmdirSync(this.#folder);
    } catch (error) {
      if (!['ENOENT', 'EBUSY'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
}

/** Not recursively: Node would try for ever where the kernel lets nobody make a folder. */
function make(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Lets groups below this one have limits of CPU. */
function allowCpu(parent: string): void {
  const file = join(parent, 'cgroup.subtree_control');
  if (!readFileSync(file, 'utf8').split(/\s+/).includes('cpu')) writeFileSync(file, '+cpu');
}

function notCapped(folder: string, cause: string, error?: unknown): Fault {
  return new Fault(
    {
      code: 'E_CPU_CAP',
      kind: 'usage',
      place: folder,
      cause: `the CPU of the service cannot be limited: ${cause}`,
      nextStep:
        'run the gate as root, leave out `cpus`, or use `--stack compose`, where the container engine sets the limit',
    },
    { cause: error },
  );
}
