import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import type { Print } from './jobs.ts';

export interface CommandOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly print: Print;
  readonly stop: AbortSignal;
  /** Leaves the processor to the commands that somebody watches. */
  readonly background?: boolean;
}

/** Runs a command in a process group of its own, all of which ends when the run stops. Answers its exit code. */
export function runCommand(
  [program = '', ...args]: readonly string[],
  { env, print, stop, background = false }: CommandOptions,
): Promise<number> {
  return new Promise((done) => {
    const child = spawn(program, args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const { pid } = child;
    const end = () => {
      if (pid !== undefined) ignoringEnded(() => process.kill(-pid, 'SIGTERM'));
    };
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8');
      stream.on('data', print);
    }
    if (background && pid !== undefined) ignoringEnded(() => setPriority(pid, 10));
    stop.addEventListener('abort', end);
    if (stop.aborted) end();
    child.on('error', ({ message }) => {
      stop.removeEventListener('abort', end);
      print(`${message}\n`);
      done(127);
    });
    child.on('close', (code) => {
      stop.removeEventListener('abort', end);
      done(code ?? 1);
    });
  });
}

/** A process may end between any two of our statements. */
function ignoringEnded(act: () => void): void {
  try {
    act();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ESRCH') throw cause;
  }
}
