import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { Parser, type ReadEntry } from 'tar';
import { type K6Binary, k6Environment, k6NotStarted, outputTimeoutMs } from './command.ts';

/** The name of a script that k6 read from its standard input: the gate's wrapper, which says nothing about the load. */
const stdinName = 'file/-';

export interface PackedScript {
  readonly code: number | null;
  readonly stderr: string;
  /**
   * SHA-256 of the script and of every file that it loads: imports, what `open()` reads, modules of other hosts. Names are
   * relative to the script's folder, so the checkout's own path does not matter.
   */
  readonly hash: string;
}

/**
 * Runs `k6 archive`. k6 executes the script's init code for it, and later opens no file that it did not open then. So no
 * way to load a file stays unseen.
 */
export async function packScript(
  k6: K6Binary,
  args: readonly string[],
  { cwd, stdin }: { readonly cwd: string; readonly stdin: string },
): Promise<PackedScript> {
  const child = spawn(k6.binary, ['archive', '--archive-out=-', ...args], {
    cwd,
    env: k6Environment(k6),
    timeout: outputTimeoutMs,
    killSignal: 'SIGKILL',
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', (error) => reject(k6NotStarted(k6.binary, error)));
    child.on('close', resolve);
  });
  // k6 may have ended before it reads this; its exit code says so.
  child.stdin.on('error', () => {});
  child.stdin.end(stdin);
  const [code, stderr, hash] = await Promise.all([ended, text(child.stderr), hashOf(child.stdout)]);
  return { code, stderr, hash };
}

async function hashOf(archive: NodeJS.ReadableStream): Promise<string> {
  const digests = new Map<string, string>();
  let folder = '/';
  let main: string | undefined;
  const entries: Promise<void>[] = [];
  const keep = async (entry: ReadEntry) => {
    const hash = createHash('sha256');
    const whole: Buffer[] = [];
    for await (const chunk of entry) {
      hash.update(chunk);
      if (entry.path === 'metadata.json') whole.push(chunk);
    }
    if (entry.type === 'Link') main = entry.path;
    else if (entry.path === 'metadata.json') folder = folderIn(Buffer.concat(whole).toString());
    else if (entry.type === 'File') digests.set(entry.path, hash.digest('hex'));
  };
  await pipeline(archive, new Parser({ onReadEntry: (entry) => void entries.push(keep(entry)) }));
  await Promise.all(entries);
  // k6 stores the script as `data`, and a link to it under its own name.
  const script = digests.get('data');
  digests.delete('data');
  if (main !== undefined && main !== stdinName && script !== undefined) digests.set(main, script);
  const lines = [...digests].map(([path, digest]) => `${relativeTo(folder, path)}\0${digest}\n`);
  return createHash('sha256').update(lines.sort().join('')).digest('hex');
}

/** The script's folder, as k6 names it: it replaces the user's name below /home. */
function folderIn(metadata: string): string {
  return fileURLToPath((JSON.parse(metadata) as { readonly pwd: string }).pwd);
}

/** Files are below `file/`. Modules of other hosts are below `https/` and keep their address. */
function relativeTo(folder: string, path: string): string {
  return path.startsWith('file/') ? posix.relative(folder, path.slice('file'.length)) : path;
}
