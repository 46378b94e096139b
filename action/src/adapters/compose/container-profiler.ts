import type { BootedService, Clock } from '../../measure/index.ts';
import { JvmProfiler, notProfiled } from '../process/index.ts';
import type { DockerCli } from './docker.ts';

/** The container's own options for JVMs would give each tool an agent or a port that is in use. */
const withoutOptions = ['JAVA_TOOL_OPTIONS', '_JAVA_OPTIONS'].flatMap((name) => ['--env', `${name}=`]);
/** A folder that every image has. */
const folder = '/tmp';

/** Prints numbers of processes that run `java`. A JVM whose user has no name is not in the list of `jcmd`. */
const findJvm =
  'for one in /proc/[0-9]*; do case $(readlink "$one/exe") in */java) echo "${one#/proc/}" ;; esac; done';

/** The profiler of the JVM in that container. */
export async function containerProfiler(
  docker: DockerCli,
  { id, service }: { readonly id: string; readonly service: string },
  clock: Clock,
  signal: AbortSignal,
): Promise<NonNullable<BootedService['profiler']>> {
  const found = await docker.run(['exec', id, 'sh', '-c', 'command -v jcmd && command -v jfr'], { signal });
  if (found.code !== 0)
    return { unavailable: `the image of ${service} has no jcmd and jfr, which a JDK has` };
  const run = async (
    tool: string,
    args: readonly string[],
    onLine: (line: string) => void,
    until: AbortSignal,
  ) => {
    let lines = 0;
    const command = docker.follow(['exec', ...withoutOptions, id, tool, ...args], tool, (line) => {
      lines += 1;
      onLine(line);
    });
    until.addEventListener('abort', command.stop, { once: true });
    const stderr = await command.ended;
    until.removeEventListener('abort', command.stop);
    if (lines === 0) throw notProfiled(tool, stderr);
  };
  const pid = async (until: AbortSignal) => {
    const { stdout } = await docker.run(['exec', id, 'sh', '-c', findJvm], { signal: until });
    if (stdout === '') throw notProfiled('sh', `no JVM runs in the container of ${service}`);
    return Number.parseInt(stdout, 10);
  };
  return new JvmProfiler({ folder, pid, run }, clock);
}
