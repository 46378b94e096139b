import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { build } from 'esbuild';
import { bundleOptions } from './bundle-options.ts';

/**
 * Bundles the Action's entries into dist/, which is committed: GitHub runs an action from its repository as it is.
 * With --check it writes nothing and compares the committed files.
 */
const root = dirname(import.meta.dirname);
const directory = join(root, 'dist');
const mostBytes = 3_000_000;

const { outputFiles } = await build({
  ...bundleOptions(root),
  entryPoints: {
    main: 'src/entry/action/main.ts',
    post: 'src/entry/action/post.ts',
    publish: 'src/entry/publish/main.ts',
    record: 'src/entry/record/main.ts',
  },
  outdir: directory,
  write: false,
});

function fail(cause: string, nextStep: string): void {
  process.stderr.write(`error[E_DIST] action/dist: ${cause}\n  next: ${nextStep}\n`);
  process.exitCode = 1;
}

function present(): readonly string[] {
  try {
    return readdirSync(directory).toSorted();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

const wanted = new Map(outputFiles.map(({ path, contents }) => [basename(path), Buffer.from(contents)]));
const bytes = [...wanted.values()].reduce((sum, content) => sum + content.length, 0);
if (bytes > mostBytes) {
  fail(`the bundle has ${bytes} bytes, more than ${mostBytes}`, 'see what was added to package.json');
} else if (process.argv.includes('--check')) {
  const names = present();
  const stale = [...wanted].filter(
    ([name, content]) => !names.includes(name) || !readFileSync(join(directory, name)).equals(content),
  );
  const extra = names.filter((name) => !wanted.has(name));
  const differing = [...stale.map(([name]) => name), ...extra];
  if (differing.length > 0) fail(`not what the source makes: ${differing.join(', ')}`, 'npm run bundle');
} else {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory);
  for (const [name, content] of wanted) writeFileSync(join(directory, name), content);
  process.stdout.write(`${wanted.size} files, ${bytes} bytes\n`);
}
