import { writeFileSync } from 'node:fs';
import { z } from 'zod';
import type { DockerCli, DockerResult } from './docker.ts';
import { engineDown } from './engine.ts';

/** Labels that Compose puts on everything it creates. */
export const projectLabel = 'com.docker.compose.project';
export const serviceLabel = 'com.docker.compose.service';
const numberLabel = 'com.docker.compose.container-number';

/** Lines of each container that the log file keeps, and characters of the whole file. */
const savedLines = 5_000;
const savedLength = 4 * 1024 * 1024;

const inspectedSchema = z.object({
  Id: z.string(),
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
      .object({ Status: z.string(), Log: z.array(z.object({ Output: z.string() })).nullish() })
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
type Inspected = z.output<typeof inspectedSchema>;

/** The state of one container and its addresses. */
export type Container = Readonly<ReturnType<typeof toContainer>> & {
  /** True if its service has others too. */
  readonly isOneOfSeveral: boolean;
};

/** Reads every container of the project, whatever its state. */
export async function readContainers(docker: DockerCli, project: string): Promise<Container[]> {
  const list = await docker.run(['ps', '-aq', '--no-trunc', '--filter', `label=${projectLabel}=${project}`]);
  if (list.code !== 0) throw engineDown(list);
  const ids = list.stdout.split('\n').filter((id) => id !== '');
  if (ids.length === 0) return [];
  const inspected = await docker.run(['inspect', '--type', 'container', ...ids]);
  // A container that was removed meanwhile makes the command fail, but it prints the others. A command that was killed
  // may have printed none.
  if (inspected.timedOut || inspected.code === null) throw engineDown(inspected);
  const containers = z
    .array(inspectedSchema)
    .parse(JSON.parse(inspected.stdout || '[]'))
    .map(toContainer);
  const byService = Map.groupBy(containers, ({ service }) => service);
  return containers.map((container) => ({
    ...container,
    isOneOfSeveral: (byService.get(container.service)?.length ?? 0) > 1,
  }));
}

function toContainer({ Id, RestartCount, State, Config, HostConfig, NetworkSettings }: Inspected) {
  const networks = Object.values(NetworkSettings.Networks ?? {});
  return {
    id: Id,
    service: Config.Labels?.[serviceLabel] ?? '',
    /** From 1, among the containers of its service. */
    number: Number(Config.Labels?.[numberLabel] ?? 1),
    /** As the compose file names it. */
    image: Config.Image,
    /** `created`, `running`, `paused`, `restarting`, `removing`, `exited` or `dead`. */
    status: State.Status,
    /** `starting`, `healthy` or `unhealthy`; undefined without a health check. */
    health: State.Health?.Status,
    /** Output of the last health check. */
    probe: State.Health?.Log?.at(-1)?.Output.trim() ?? '',
    /** The kernel killed one of its processes because memory ran out. */
    outOfMemory: State.OOMKilled,
    /** Bytes; 0 without a limit. */
    memoryLimit: HostConfig.Memory,
    exitCode: State.ExitCode,
    /** Why the container could not be started. */
    error: State.Error,
    restarts: RestartCount,
    /** The main process as this machine numbers it; 0 if the container does not run. */
    pid: State.Pid,
    startedAt: State.StartedAt,
    finishedAt: State.FinishedAt,
    /** On the first of its own networks; undefined if it has none or does not run. */
    address: networks.find(({ IPAddress }) => IPAddress !== '')?.IPAddress,
    /** Address on this machine by the container's port, such as 8080. */
    published: publishedPorts(NetworkSettings.Ports ?? {}),
  };
}

/** How a Fault names a container: without its number if it is the only one of its service. */
export function placeOf(container: Container): string {
  return `service ${nameOf(container)}`;
}

function nameOf({ service, number, isOneOfSeveral }: Container): string {
  return isOneOfSeveral ? `${service}, instance ${number}` : service;
}

function publishedPorts(ports: NonNullable<Inspected['NetworkSettings']['Ports']>): Map<number, string> {
  const published = new Map<number, string>();
  for (const [port, bindings] of Object.entries(ports)) {
    // The first binding is IPv4; a second one is the same port for IPv6.
    const [binding] = bindings ?? [];
    if (binding === undefined || !port.endsWith('/tcp')) continue;
    const { HostIp: ip, HostPort: hostPort } = binding;
    // A port on all addresses of this machine is reached through the loopback interface.
    const host = ['', '0.0.0.0', '::'].includes(ip) ? '127.0.0.1' : ip.includes(':') ? `[${ip}]` : ip;
    published.set(Number.parseInt(port, 10), `${host}:${hostPort}`);
  }
  return published;
}

/** The last lines that a container printed on both streams, oldest first. */
export async function readLog(docker: DockerCli, id: string, lines: number): Promise<string[]> {
  return inOrder(await docker.run(['logs', '--timestamps', '--tail', String(lines), id])).slice(-lines);
}

/** Blocks as it reads, for callers that cannot wait. */
export function readLogNow(docker: DockerCli, id: string, lines: number): string[] {
  return inOrder(docker.runNow(['logs', '--timestamps', '--tail', String(lines), id])).slice(-lines);
}

/** Saves the last lines of each container under a heading. */
export async function saveLogs(
  docker: DockerCli,
  containers: readonly Container[],
  path: string,
  masked: (text: string) => string,
): Promise<void> {
  const share = Math.floor(savedLength / Math.max(1, containers.length));
  const sections = containers.map(async (container) => {
    const { id, status, exitCode, image } = container;
    const state = status === 'exited' ? `exited with code ${exitCode}` : status;
    const text = (await readLog(docker, id, savedLines)).join('\n');
    return `==> ${nameOf(container)} (${image}), ${state} <==\n${masked(text).slice(-share)}\n`;
  });
  writeFileSync(path, (await Promise.all(sections)).join('\n'));
}

/** Merges a container's two streams by the engine's time stamps, which sort as text. */
function inOrder({ stdout, stderr }: DockerResult): string[] {
  const lines = [...stdout.split('\n'), ...stderr.split('\n')].filter((line) => line !== '');
  const stamped = lines.map((line) => ({ line, stamp: line.slice(0, Math.max(0, line.indexOf(' '))) }));
  return stamped
    .sort((a, b) => (a.stamp < b.stamp ? -1 : a.stamp > b.stamp ? 1 : 0))
    .map(({ line, stamp }) => line.slice(stamp.length + 1));
}
