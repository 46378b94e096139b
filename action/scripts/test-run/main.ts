import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { constants, hostname, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runJobs } from './jobs.ts';
import { type Options, readOptions } from './options.ts';
import { plan } from './plan.ts';
import type { Place } from './steps.ts';
import { withTools } from './tools.ts';

process.exitCode = await main(process.argv.slice(2));

/** `./gate test`: runs the project's tests and answers its exit code. */
async function main(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  if (typeof options === 'string') {
    process.stderr.write(`error[E_USAGE] gate test: ${options}\n  next: run ./gate help\n`);
    return 2;
  }
  const stop = new AbortController();
  let signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | undefined;
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      signal = name;
      stop.abort();
    });
  }

  // Whoever reads the output may end first.
  process.stdout.on('error', () => stop.abort());
  const scratch = mkdtempSync(join(tmpdir(), 'gate-test-'));
  try {
    const counts = await runJobs(
      plan(options, place(options, scratch)),
      (text) => process.stdout.write(text),
      stop,
    );
    if (signal !== undefined) return 128 + constants.signals[signal];
    process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`);
    return counts.failed === 0 ? 0 : 1;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function place(options: Options, scratch: string): Place {
  const root = resolve(import.meta.dirname, '../../..');
  const cache = process.env.GATE_CACHE ?? join(scratch, 'cache');
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    PATH: withTools(process.env.PATH ?? '', cache),
    GATE_TOOLS: options.tools ? 'required' : 'optional',
    ...(options.containers ? { GATE_CONTAINERS: 'required' } : {}),
    ...(engineIsInThisContainer() ? { TESTCONTAINERS_HOST_OVERRIDE: '127.0.0.1' } : {}),
  };
  return { root, cache, scratch, env };
}

/** Within a container, Testcontainers looks for the engine outside of it, unless a variable says otherwise. */
function engineIsInThisContainer(): boolean {
  if (!existsSync('/.dockerenv') || process.env.TESTCONTAINERS_HOST_OVERRIDE !== undefined) return false;
  const { stdout } = spawnSync('docker', ['info', '--format', '{{.Name}}'], { encoding: 'utf8' });
  return stdout?.trim() === hostname();
}
