import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Why there is no engine to test on; undefined if there is one. */
export function lackOfEngine(): string | undefined {
  const { status, error, stderr } = spawnSync('docker', ['version', '--format', '{{.Server.Version}}'], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  const compose = spawnSync('docker', ['compose', 'version', '--short'], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  if (status === 0 && compose.status === 0) return undefined;
  const reason = error?.message ?? (status === 0 ? 'no Compose v2' : stderr.trim());
  if (process.env.GATE_CONTAINERS === 'required') {
    throw new Error(`GATE_CONTAINERS=required, and there is no engine to test on: ${reason}`);
  }
  process.stderr.write(`tests of the compose stack are skipped: ${reason}\n`);
  return reason;
}

/**
 * An image that holds this Node and nothing else, made on this machine: no registry is needed. Kept by the engine
 * from one test run to the next.
 */
export function nodeImage(): string {
  const image = `perf-gate-test/node:${process.version.slice(1)}`;
  if (spawnSync('docker', ['image', 'inspect', image]).status === 0) return image;
  const folder = mkdtempSync(join(tmpdir(), 'perf-gate-image-'));
  try {
    const node = realpathSync(process.execPath);
    const libraries = execFileSync('ldd', [node], { encoding: 'utf8' }).match(/\/\S+(?= \(0x)/g) ?? [];
    for (const library of libraries) {
      mkdirSync(join(folder, dirname(library)), { recursive: true });
      cpSync(realpathSync(library), join(folder, library));
    }
    mkdirSync(join(folder, 'usr/local/bin'), { recursive: true });
    cpSync(node, join(folder, 'usr/local/bin/node'));
    for (const empty of ['tmp', 'srv', 'data', 'full', 'etc', 'proc', 'sys', 'dev']) {
      mkdirSync(join(folder, empty), { recursive: true });
    }
    const archive = `${folder}.tar`;
    execFileSync('tar', ['-cf', archive, '-C', folder, '.']);
    execFileSync('docker', ['import', archive, image]);
    rmSync(archive);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return image;
}

/** Lines of `docker` with these arguments. */
export function docker(...args: string[]): string[] {
  return execFileSync('docker', args, { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '');
}

/** Everything of the project that the engine still has, images apart. */
export function remains(project: string): string[] {
  const label = `label=com.docker.compose.project=${project}`;
  return [
    ...docker('ps', '-a', '--filter', label, '--format', 'container {{.Names}}'),
    ...docker('volume', 'ls', '--filter', label, '--format', 'volume {{.Name}}'),
    ...docker('network', 'ls', '--filter', label, '--format', 'network {{.Name}}'),
  ];
}
