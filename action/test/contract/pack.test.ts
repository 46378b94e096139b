import { execFile, execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createFixture, type FsFixture } from 'fs-fixture';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const action = join(import.meta.dirname, '../..');
const run = promisify(execFile);

let folder: FsFixture;
let archive: string;

beforeAll(async () => {
  folder = await createFixture({
    'home/.keep': '',
    'shop/package.json': JSON.stringify({ name: 'shop', scripts: { start: 'node server.js' } }),
    'shop/server.js': "require('express')().get('/books', list).listen(process.env.PORT);",
  });
  execFileSync('npm', ['run', '-s', 'pack', '--', folder.path], { cwd: action, stdio: 'pipe' });
  const [name = ''] = (await readdir(folder.path)).filter((file) => file.endsWith('.tgz'));
  archive = folder.getPath(name);
  execFileSync('git', ['init', '-q', '-b', 'main', folder.getPath('shop')]);
});

afterAll(() => folder.rm());

/** What somebody types who has the package and neither a checkout of the gate nor a network. */
async function npx(...args: string[]): Promise<{ code: number; out: string }> {
  const command = ['exec', '--offline', '--yes', `--package=${archive}`, '--', 'perf-gate', ...args];
  const options = {
    cwd: folder.getPath('shop'),
    env: { PATH: process.env.PATH, HOME: folder.getPath('home'), NO_COLOR: '1' },
  };
  try {
    const { stdout, stderr } = await run('npm', command, options);
    return { code: 0, out: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout + stderr };
  }
}

describe('the package', () => {
  it('holds what it runs and nothing to install', () => {
    const files = execFileSync('tar', ['-tzf', archive], { encoding: 'utf8' }).trim().split('\n');
    expect(files.map((file) => file.replace(/^package\//, '')).toSorted()).toEqual([
      '.github/workflows/perf-baseline.yml',
      '.github/workflows/perf-gate.yml',
      '.github/workflows/perf-publish.yml',
      '.github/workflows/release.yml',
      'LICENSE',
      'README.md',
      'action/action.yml',
      'action/cli/package.js',
      'package.json',
      'source.json',
    ]);
    const manifest = execFileSync('tar', ['-xzOf', archive, 'package/package.json'], { encoding: 'utf8' });
    expect(Object.keys(JSON.parse(manifest))).not.toContain('dependencies');
  });

  it('sets up another repository, and names its own command and where it came from', async () => {
    const { code, out } = await npx('init');
    expect(code, out).toBe(0);
    expect(out).toContain('npx perf-gate check');
    const written = await readdir(folder.getPath('shop/.github/workflows'));
    expect(written.toSorted()).toEqual(['perf-baseline.yml', 'perf-gate.yml', 'perf-publish.yml']);
    const workflow = await readFile(folder.getPath('shop/.github/workflows/perf-gate.yml'), 'utf8');
    const packed = execFileSync('tar', ['-xzOf', archive, 'package/source.json'], { encoding: 'utf8' });
    const { commit } = JSON.parse(packed);
    expect(commit).toMatch(/^[0-9a-f]{40}$/);
    expect(workflow).toContain(`perf-gate/action@${commit}`);
  });

  it('reads stored runs, and ends as the launcher does where it finds none', async () => {
    const history = await npx('history');
    expect(history.code, history.out).toBe(0);
    expect(await readdir(folder.getPath('shop/.perf-gate/history'))).toContain('index.html');
    const report = await npx('report');
    expect(report.code).toBe(2);
    expect(report.out).toMatch(/E_\w+/);
  });

  it('does not offer to measure itself', async () => {
    const { code, out } = await npx('bench');
    expect(code).toBe(2);
    expect(out).toContain("unknown command 'bench'");
  });
});
