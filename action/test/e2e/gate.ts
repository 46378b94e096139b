import { type ChildProcess, spawn } from 'node:child_process';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createFixture, type FsFixture } from 'fs-fixture';

const action = resolve(import.meta.dirname, '../..');

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running gate, and what it printed so far. */
export interface RunningGate {
  readonly process: ChildProcess;
  readonly done: Promise<Outcome>;
  /** What it printed to standard output so far. */
  readonly stdout: () => string;
  /** The same of standard error. */
  readonly stderr: () => string;
  /** Resolves once standard error matches; rejects if the gate ends before. */
  printed(pattern: RegExp): Promise<void>;
}

/** Makes the tiny service answer several times slower, by more than any disturbance of the host. */
export const slow = { TINY_DELAY_MS: '400' };

/** Limits that short blocks can see on a busy host, and that the slow service exceeds several times. */
export const wideTolerances = 'tolerances: { p95: 525%, tps: 50%, serviceCpu: 525% }\nfloors:';

/** A checkout of the tiny service in a temporary folder. */
export class TinyProject {
  readonly fixture: FsFixture;

  private constructor(fixture: FsFixture) {
    this.fixture = fixture;
  }

  static async create(from: 'tiny' | 'tiny-compose' | 'cancelled' = 'tiny'): Promise<TinyProject> {
    const fixture = await createFixture();
    await cp(join(import.meta.dirname, from), fixture.path, { recursive: true });
    return new TinyProject(fixture);
  }

  /** Replaces text in gate.yml, or in the file named; refuses to replace nothing. */
  async edit(from: string | RegExp, to: string, file = 'gate.yml'): Promise<void> {
    const path = join(this.fixture.path, file);
    const before = await readFile(path, 'utf8');
    const after = before.replace(from, to);
    if (after === before) throw new Error(`${file} does not hold ${from}`);
    await writeFile(path, after);
  }

  /** Makes the service as slow as `slow` does, as a change of its code. */
  makeSlower(): Promise<void> {
    return this.edit('TINY_DELAY_MS ?? 0', `TINY_DELAY_MS ?? ${slow.TINY_DELAY_MS}`, 'server.mjs');
  }

  async write(path: string, text: string): Promise<void> {
    const file = join(this.fixture.path, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }

  start(args: readonly string[], env: Record<string, string> = {}): RunningGate {
    const child = spawn(process.execPath, [join(action, 'src/entry/cli/cli.ts'), ...args], {
      cwd: this.fixture.path,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        GATE_ROOT: this.fixture.path,
        GATE_CACHE: join(this.fixture.path, 'cache'),
        GATE_K6: process.env.GATE_K6 ?? 'k6',
        // Halves the time that the gate takes to start from its sources.
        NODE_COMPILE_CACHE: join(tmpdir(), 'perf-gate-test-compile-cache'),
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    const listeners = new Set<() => void>();
    child.stdout.on('data', (chunk) => {
      stdout += String(chunk);
    });
    child.stderr.on('data', (chunk) => {
      stderr += String(chunk);
      for (const listener of listeners) listener();
    });
    const done = new Promise<Outcome>((resolveDone) => {
      child.on('close', (code) => resolveDone({ code, stdout, stderr }));
    });
    return {
      process: child,
      done,
      stdout: () => stdout,
      stderr: () => stderr,
      printed: (pattern) =>
        new Promise((resolvePrinted, reject) => {
          const look = () => {
            if (!pattern.test(stderr)) return;
            listeners.delete(look);
            resolvePrinted();
          };
          listeners.add(look);
          look();
          void done.then(() =>
            reject(new Error(`the gate ended before it printed ${pattern}:\n${stderr}${stdout}`)),
          );
        }),
    };
  }

  run(args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> {
    return this.start(args, env).done;
  }
}

/** Command lines of all processes of this machine that mention the text. */
export async function processesMentioning(text: string): Promise<string[]> {
  const found: string[] = [];
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue;
    const [commandLine, cwd] = await Promise.all([
      readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''),
      readFile(`/proc/${pid}/environ`, 'utf8').catch(() => ''),
    ]);
    if (commandLine.includes(text) || cwd.includes(text)) found.push(commandLine.replaceAll('\0', ' '));
  }
  return found;
}

/** A process whose command line holds all of the texts. */
export async function pidOf(...texts: readonly string[]): Promise<number | undefined> {
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue;
    const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (texts.every((text) => commandLine.includes(text))) return Number(pid);
  }
  return undefined;
}
