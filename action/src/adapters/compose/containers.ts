import { z } from 'zod';
import type { DockerCli } from './cli.ts';
import { engineDown } from './engine.ts';

/** Label that Compose puts on everything of a project. */
export const projectLabel = 'com.docker.compose.project';
const serviceLabel = 'com.docker.compose.service';

const inspectedSchema = z.object({
  Id: z.string(),
  Name: z.string(),
  Image: z.string(),
  RestartCount: z.number().default(0),
  State: z.object({
    Status: z.string(),
    OOMKilled: z.boolean(),
    Pid: z.number(),
    ExitCode: z.number(),
    Error: z.string().default(''),
    StartedAt: z.string(),
    FinishedAt: z.string(),
    Health: z
      .object({
        Status: z.string(),
        Log: z.array(z.object({ ExitCode: z.number(), Output: z.string() })).nullish(),
      })
      .nullish(),
  }),
  Config: z.object({ Image: z.string(), Labels: z.record(z.string(), z.string()).nullish() }),
  HostConfig: z.object({ Memory: z.number().default(0) }),
  NetworkSettings: z.object({
    Networks: z.record(z.string(), z.object({ IPAddress: z.string().default('') })).nullish(),
    Ports: z
      .record(z.string(), z.array(z.object({ HostIp: z.string(), HostPort: z.string() })).nullish())
      .nullish(),
  }),
});

/** One container, as far as it tells how it fares and how it is reached. */
export interface Container {
  readonly id: string;
  /** Such as `perf-gate-1a2b3c4d-app-1`. */
  readonly name: string;
  readonly service: string;
  /** As the compose file names it. */
  readonly image: string;
  readonly imageId: string;
  readonly status: 'created' | 'running' | 'paused' | 'restarting' | 'removing' | 'exited' | 'dead' | string;
  /** None if it has no health check. */
  readonly health?: 'starting' | 'healthy' | 'unhealthy' | string;
  /** What the last health check printed. */
  readonly probe: string;
  /** The kernel ended a process of it because its memory was full. */
  readonly outOfMemory: boolean;
  /** Bytes; 0 if there is no limit. */
  readonly memoryLimit: number;
  readonly exitCode: number;
  /** Why it could not be started. */
  readonly error: string;
  readonly restarts: number;
  /** The main process as this machine numbers it; 0 if there is none. */
  readonly pid: number;
  readonly startedAt: string;
  readonly finishedAt: string;
  /** On the first of its own networks; none if it has none or is not running. */
  readonly address?: string;
  /** Address on this machine by the container's port, such as 8080. */
  readonly published: ReadonlyMap<number, string>;
}

/** Every container of the project, whatever its state. */
export async function readContainers(docker: DockerCli, project: string): Promise<Container[]> {
  const list = await docker.run(['ps', '-aq', '--no-trunc', '--filter', `label=${projectLabel}=${project}`]);
  if (list.code !== 0) throw engineDown(list);
  const ids = list.stdout.split('\n').filter((id) => id !== '');
  if (ids.length === 0) return [];
  const inspected = await docker.run(['inspect', '--type', 'container', ...ids]);
  // One that was removed since makes the command fail, with the others printed all the same; one that did not end by
  // itself has told of none.
  if (inspected.timedOut || inspected.code === null) throw engineDown(inspected);
  return z
    .array(inspectedSchema)
    .parse(JSON.parse(inspected.stdout || '[]'))
    .map(toContainer);
}

function toContainer(from: z.output<typeof inspectedSchema>): Container {
  const { State: state } = from;
  const addresses = Object.values(from.NetworkSettings.Networks ?? {}).map(({ IPAddress }) => IPAddress);
  const address = addresses.find((one) => one !== '');
  return {
    id: from.Id,
    name: from.Name.replace(/^\//, ''),
    service: from.Config.Labels?.[serviceLabel] ?? '',
    image: from.Config.Image,
    imageId: from.Image,
    status: state.Status,
    ...(state.Health ? { health: state.Health.Status } : {}),
    probe: state.Health?.Log?.at(-1)?.Output.trim() ?? '',
    outOfMemory: state.OOMKilled,
    memoryLimit: from.HostConfig.Memory,
    exitCode: state.ExitCode,
    error: state.Error,
    restarts: from.RestartCount,
    pid: state.Pid,
    startedAt: state.StartedAt,
    finishedAt: state.FinishedAt,
    ...(address === undefined ? {} : { address }),
    published: publishedPorts(from.NetworkSettings.Ports ?? {}),
  };
}

/** A container listens on this machine, so any address of it is reached through the loopback interface or itself. */
function publishedPorts(
  ports: Readonly<Record<string, readonly { HostIp: string; HostPort: string }[] | null | undefined>>,
): Map<number, string> {
  const published = new Map<number, string>();
  for (const [port, bindings] of Object.entries(ports)) {
    // IPv4 is bound first; the second of two bindings is the same port for IPv6.
    const [binding] = bindings ?? [];
    if (binding === undefined || !port.endsWith('/tcp')) continue;
    const { HostIp: ip, HostPort: hostPort } = binding;
    const host = ['', '0.0.0.0', '::'].includes(ip) ? '127.0.0.1' : ip.includes(':') ? `[${ip}]` : ip;
    published.set(Number.parseInt(port, 10), `${host}:${hostPort}`);
  }
  return published;
}

/** What a container printed last, both streams in order, oldest first. */
export async function readLog(docker: DockerCli, id: string, lines: number): Promise<string[]> {
  const { stdout, stderr } = await docker.run(['logs', '--timestamps', '--tail', String(lines), id]);
  return inOrder(stdout, stderr).slice(-lines);
}

/** As `readLog`, at once: for callers that cannot wait. */
export function readLogNow(docker: DockerCli, id: string, lines: number): string[] {
  const { stdout, stderr } = docker.runNow(['logs', '--timestamps', '--tail', String(lines), id]);
  return inOrder(stdout, stderr).slice(-lines);
}

/** The client prints a container's two streams as two; the engine's time stamps, which sort as text, join them. */
function inOrder(stdout: string, stderr: string): string[] {
  return [...stdout.split('\n'), ...stderr.split('\n')]
    .filter((line) => line !== '')
    .sort((a, b) => (stamp(a) < stamp(b) ? -1 : stamp(a) > stamp(b) ? 1 : 0))
    .map((line) => line.slice(stamp(line).length + 1));
}

function stamp(line: string): string {
  return line.slice(0, Math.max(0, line.indexOf(' ')));
}
