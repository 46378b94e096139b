import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Why there is no engine to test on; undefined if there is one. */
export function lackOfEngine(): string | undefined {
  const { status, error, stderr } = spawnSync('docker', ['version', '--format', '{{.Server.Version}}'], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  const compose = spawnSync('docker', ['compose', 'version', '--short'], {
    encoding: 'utf8',
    timeout: 60_000,
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
 * An image made on this machine of programs and folders of this machine, at the same places: no registry is needed.
 * Kept by the engine from one test run to the next.
 */
function imageOf(
  image: string,
  {
    programs,
    folders = [],
    links = {},
    linked = programs,
  }: {
    readonly programs: readonly string[];
    readonly folders?: readonly string[];
    /** Symbolic links: where programs are looked for, and what they lead to. */
    readonly links?: Readonly<Record<string, string>>;
    /** What the libraries are wanted of. */
    readonly linked?: readonly string[];
  },
): string {
  if (spawnSync('docker', ['image', 'inspect', image]).status === 0) return image;
  const folder = mkdtempSync(join(tmpdir(), 'perf-gate-image-'));
  try {
    const libraries = execFileSync('ldd', [...linked], { encoding: 'utf8' }).match(/\/\S+(?= \(0x)/g) ?? [];
    for (const file of new Set([...programs, ...libraries])) {
      mkdirSync(join(folder, dirname(file)), { recursive: true });
      cpSync(realpathSync(file), join(folder, file));
    }
    for (const tree of folders) {
      cpSync(tree, join(folder, tree), {
        recursive: true,
        filter: (source) =>
          !/\/(test|site-packages|dist-packages|__pycache__|idlelib|ensurepip)$/.test(source),
      });
    }
    for (const empty of ['tmp', 'srv', 'data', 'full', 'etc', 'proc', 'sys', 'dev']) {
      mkdirSync(join(folder, empty), { recursive: true });
    }
    for (const [name, target] of Object.entries(links)) {
      mkdirSync(join(folder, dirname(name)), { recursive: true });
      symlinkSync(target, join(folder, name));
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

/** This Node and nothing else. */
export function nodeImage(): string {
  const node = realpathSync(process.execPath);
  return imageOf(`perf-gate-test/node:${process.version.slice(1)}`, {
    programs: [node],
    links: { '/usr/local/bin/node': node },
  });
}

/** This machine's Python with its standard library. */
export function pythonImage(): string {
  const { version, program, library } = JSON.parse(
    execFileSync(
      'python3',
      [
        '-c',
        'import json, os, platform, sys, sysconfig; print(json.dumps({"version": platform.python_version(), "program": os.path.realpath(sys.executable), "library": sysconfig.get_path("stdlib")}))',
      ],
      { encoding: 'utf8' },
    ),
  ) as { readonly version: string; readonly program: string; readonly library: string };
  const extensions = readdirSync(join(library, 'lib-dynload')).map((name) =>
    join(library, 'lib-dynload', name),
  );
  return imageOf(`perf-gate-test/python:${version}`, {
    programs: [program],
    linked: [program, ...extensions.filter((name) => name.endsWith('.so'))],
    folders: [library],
    links: { '/usr/local/bin/python3': program },
  });
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
