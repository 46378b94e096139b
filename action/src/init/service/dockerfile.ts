import { portOf } from './port.ts';
import { healthAddress } from './readiness.ts';

export interface Dockerfile {
  /** First port that it exposes. */
  readonly port: number | undefined;
  /** What it starts, without a shell; undefined if it says so in another way. */
  readonly command: readonly string[] | undefined;
  /** Path that its health check asks for. */
  readonly healthPath: string | undefined;
  /** What its stages copy from the build context, as it is written there; defaults of `ARG` are filled in. */
  readonly copied: readonly string[];
}

/** What a Dockerfile says of the running container: its last stage counts, and there the last word. */
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
  const whole = [...(entry ?? []), ...(command ?? [])];
  const health = argument('HEALTHCHECK').at(-1);
  return {
    port: ports.find((port) => port !== undefined),
    command: whole.length === 0 ? undefined : whole,
    healthPath: health === undefined ? undefined : healthAddress(health)?.path,
    copied: copiedFrom(instructions),
  };
}

/** What is copied from another stage or image is left out: the build of this one makes it. */
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

/** The JSON form of an instruction; the shell form is not taken apart. */
function words(argument: string | undefined): readonly string[] | undefined {
  if (argument === undefined || !argument.startsWith('[')) return undefined;
  try {
    const value: unknown = JSON.parse(argument);
    return Array.isArray(value) && value.every((word) => typeof word === 'string') ? value : undefined;
  } catch {
    // Docker takes what is no JSON for the shell form.
    return undefined;
  }
}
