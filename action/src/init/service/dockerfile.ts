import { portOf } from './port.ts';
import { healthAddress } from './readiness.ts';

export interface Dockerfile {
  /** The first port that it exposes. */
  readonly port: number | undefined;
  /** The command of its JSON form; undefined if it uses the shell form. */
  readonly command: readonly string[] | undefined;
  /** The path that its health check requests. */
  readonly healthPath: string | undefined;
  /** Paths that its stages copy from the build context, as written, with the defaults of `ARG` filled in. */
  readonly copied: readonly string[];
}

/** Reads what describes the running container: the last instruction of each kind in the last stage. */
export function readDockerfile(text: string): Dockerfile {
  const instructions = text
    .replace(/\\\r?\n/g, ' ')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const lastStage = instructions.findLastIndex((line) => /^FROM\s/i.test(line));
  const stage = instructions.slice(lastStage + 1);
  const argument = (name: string) =>
    stage
      .filter((line) => line.slice(0, name.length + 1).toUpperCase() === `${name} `)
      .map((line) => line.slice(name.length + 1).trim());
  const ports = argument('EXPOSE').flatMap((line) =>
    line.split(/\s+/).map((port) => portOf(port.replace(/\/tcp$/i, ''))),
  );
  const entry = words(argument('ENTRYPOINT').at(-1));
  const command = words(argument('CMD').at(-1));
  const fullCommand = [...(entry ?? []), ...(command ?? [])];
  const health = argument('HEALTHCHECK').at(-1);
  return {
    port: ports.find((port) => port !== undefined),
    command: fullCommand.length === 0 ? undefined : fullCommand,
    healthPath: health === undefined ? undefined : healthAddress(health)?.path,
    copied: copiedFrom(instructions),
  };
}

/** Leaves out copies from another stage or image, because building the image makes those. */
function copiedFrom(instructions: readonly string[]): readonly string[] {
  const defaults = new Map<string, string>();
  const copied: string[] = [];
  for (const line of instructions) {
    const argument = /^ARG\s+(\w{1,80})=["']?([^\s"']{1,200})/i.exec(line);
    if (argument !== null) defaults.set(argument[1] ?? '', argument[2] ?? '');
    const [, rest] = /^(?:COPY|ADD)\s+(.+)$/i.exec(line) ?? [];
    if (rest === undefined) continue;
    const parts = rest.split(/\s+/);
    const flags = parts.findIndex((part) => !part.startsWith('--'));
    if (parts.slice(0, flags).some((flag) => flag.startsWith('--from='))) continue;
    const plain = parts.slice(flags);
    copied.push(...(words(plain.join(' ')) ?? plain).slice(0, -1));
  }
  return copied.map((path) =>
    path.replaceAll(/\$\{?(\w{1,80})\}?/g, (whole, name: string) => defaults.get(name) ?? whole),
  );
}

/** The words of an instruction in JSON form; undefined for the shell form. */
function words(argument: string | undefined): readonly string[] | undefined {
  if (argument === undefined || !argument.startsWith('[')) return undefined;
  try {
    const value: unknown = JSON.parse(argument);
    return Array.isArray(value) && value.every((word) => typeof word === 'string') ? value : undefined;
  } catch {
    // Docker reads invalid JSON as the shell form.
    return undefined;
  }
}
