import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { actionSource, packedSourceFile } from '../src/entry/cli/action-source.ts';
import { bundleOptions } from './bundle-options.ts';

/**
 * Packs the command line, so that `npx perf-gate` runs it without a checkout: `npm run pack -- FOLDER` writes
 * perf-gate-VERSION.tgz there. The package lies as the checkout does, because the commands read files next to them.
 */
const root = dirname(import.meta.dirname);
const gateDirectory = dirname(root);
const [target = '.'] = process.argv.slice(2);
const workflows = ['perf-gate', 'perf-baseline', 'perf-publish', 'release'];
const copied = [
  'LICENSE',
  'README.md',
  'action/action.yml',
  ...workflows.map((name) => `.github/workflows/${name}.yml`),
];

const { name, version, description, license, type, engines } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);
const program = 'action/cli/package.js';
const manifest = { name, version, description, license, type, engines, bin: { [name]: program } };
const source = await actionSource({ gateDirectory, env: process.env }, AbortSignal.timeout(30_000));
const folder = mkdtempSync(join(tmpdir(), 'perf-gate-pack-'));
try {
  for (const path of copied) cpSync(join(gateDirectory, path), join(folder, path), { recursive: true });
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(join(folder, packedSourceFile), `${JSON.stringify(source, null, 2)}\n`);
  const options = bundleOptions(root);
  await build({
    ...options,
    banner: { js: `#!/usr/bin/env node\n${options.banner.js}` },
    entryPoints: { package: 'src/entry/cli/package.ts' },
    outdir: join(folder, dirname(program)),
  });
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', resolve(target)], {
    cwd: folder,
    stdio: 'inherit',
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
