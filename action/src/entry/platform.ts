import { Fault } from '../model/fault.ts';

/** Said before anything is built or measured, which takes minutes. */
export function requireLinux(platform: string): void {
  if (platform === 'linux') return;
  throw new Fault({
    code: 'E_PLATFORM',
    kind: 'usage',
    place: platform,
    cause: 'the gate measures on Linux only: it reads what the CPUs and the processes did from /proc',
    nextStep:
      'run it on Linux, such as `runs-on: ubuntu-24.04` or a machine of your own; on a Mac or on Windows in a virtual machine, a container or WSL 2',
  });
}
