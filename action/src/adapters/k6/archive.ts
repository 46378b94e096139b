import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import type { LoadSpec } from '../../measure/index.ts';
import { Fault } from '../../model/fault.ts';
import {
  type K6Binary,
  k6Environment,
  k6NotStarted,
  outputTimeoutMs,
  quietRunOptions,
  stageOptions,
  systemTags,
  variableOptions,
} from './command.ts';
import { errorText } from './log.ts';
import { mostUsersOfOne } from './segments.ts';
import { generatorVariable, sharedScript } from './wrapper-script.ts';

/** Options of `k6 run` that the archive of a load cannot hold. */
const archiveRunOptions = [
  ...quietRunOptions,
  // Each generator sees its own part, so thresholds would judge parts.
  '--no-thresholds',
] as const;

/**
 * What `k6 run` needs besides the archive. Each generator writes its samples and its log into the folder, under its own
 * name: what runs the command replaces `$(...)`, as Kubernetes does.
 */
export function runnerArguments(folder: string): readonly string[] {
  const file = `${folder}/$(${generatorVariable})`;
  return [
    ...archiveRunOptions,
    // In two words, because k6-operator keeps only this form from `k6 archive`, which does not know the option.
    '--out',
    `csv=fileName=${file}.csv,timeFormat=unix_micro,saveInterval=1s`,
    // Last, because k6-operator 1.0 drops all that follows it before it calls `k6 archive`.
    `--log-output=file=${file}.log`,
  ];
}

/**
 * A load as one tar file for `k6 run`: the script with every file that it loads, and when how many users run it. It holds
 * no variables. Options that the script computes from variables are computed here, and kept in it.
 */
export async function archiveLoad(k6: K6Binary, load: LoadSpec, generators: number): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'gate-archive-'));
  try {
    for (const [name, source] of Object.entries(sharedScript(load, mostUsersOfOne(load, generators)))) {
      await writeFile(join(folder, name), source);
    }
    return await archive(k6, load, join(folder, 'main.js'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function archive(k6: K6Binary, load: LoadSpec, main: string): Promise<Buffer> {
  const args = [
    'archive',
    '--archive-out=-',
    '--quiet',
    '--no-color',
    '--log-format=json',
    '--exclude-env-vars',
    systemTags,
    ...variableOptions(load.env),
    ...(load.arrival === undefined ? stageOptions(load.stages) : []),
    '--',
    main,
  ];
  const child = spawn(k6.binary, args, {
    cwd: dirname(load.script),
    env: k6Environment(k6),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: outputTimeoutMs,
    killSignal: 'SIGKILL',
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', (error) => reject(k6NotStarted(k6.binary, error)));
    child.on('close', resolve);
  });
  const [code, packed, log] = await Promise.all([ended, buffer(child.stdout), text(child.stderr)]);
  if (code === 0) return packed;
  throw new Fault({
    code: 'E_SCENARIO_ARCHIVE',
    kind: 'usage',
    place: load.script,
    cause: `k6 could not pack the script: ${log
      .split('\n')
      .flatMap((line) => errorText(line) ?? [])
      .join(' ')}`,
    nextStep: 'fix the script; `k6 archive` reports the same error',
  });
}
