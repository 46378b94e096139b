import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type BranchStoreOptions, createBranchStore } from '../../src/adapters/baseline/branch-store.ts';
import { createSystemClock } from '../../src/adapters/host/system-clock.ts';
import type { BaselineStore, EditableBaseline } from '../../src/check/ports.ts';
import { describeBaselineStore } from './baseline-store-contract.ts';
import { faultOf } from './fault-of.ts';
import { git, Remote } from './git-repositories.ts';
import { buildRun } from './run-builder.ts';

const branch = 'perf-gate-baseline';
const runs = (...numbers: number[]) => numbers.map((number) => `run-${number}`);
/** Repeats without a pause, so that the tests do not wait. */
const quick = { firstMs: 1, mostMs: 5, attempts: 3, withinMs: 60_000 };

function storeOf(directory: string, more: Partial<BranchStoreOptions> = {}): EditableBaseline {
  return createBranchStore({
    directory,
    branch,
    remote: 'origin',
    env: process.env,
    clock: createSystemClock(),
    signal: new AbortController().signal,
    ...more,
  });
}

async function idsOf(store: BaselineStore): Promise<string[]> {
  const read = await store.read();
  if (read.kind !== 'found') throw new Error(`the store answers ${JSON.stringify(read)}`);
  return read.baseline.runs.map(({ id }) => id);
}

describeBaselineStore('the branch store', async () => {
  const remote = await Remote.create();
  return {
    store: storeOf(remote.clone()),
    reopen: async () => storeOf(remote.clone('--depth=1')),
    files: async () => remote.files(branch),
    writeFile: async (path, text) => remote.writeFile(branch, path, text),
  };
});

/** A run of six cells with four blocks, and this many endpoints per block. All figures differ, as measured ones do. */
function runOfEndpoints(count: number) {
  const run = buildRun(1);
  let figures = 0;
  const figure = () => ((figures++ * 7919) % 99_991) / 100;
  const endpoints = () =>
    Array.from({ length: count }, (_, index) => ({
      name: `endpoint-${index}`,
      requests: Math.round(figure()),
      errors: 0,
      latency: {
        meanMs: figure() / 7,
        p50Ms: figure(),
        p90Ms: figure(),
        p95Ms: figure(),
        p99Ms: figure(),
        maxMs: figure(),
      },
    }));
  const cells = run.cells.flatMap((cell) =>
    Array.from({ length: 6 }, (_, number) => ({
      ...cell,
      scenario: `scenario-${number}`,
      blocks: cell.blocks.flatMap((block) =>
        Array.from({ length: 4 }, (__, round) => ({ ...block, round, endpoints: endpoints() })),
      ),
    })),
  );
  return { ...run, cells };
}

/** The state of a checkout that a user can see: the bytes of every file in it, and git's answers. */
function stateOf(checkout: string) {
  const files = readdirSync(checkout, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(checkout, path)).isFile())
    .map((path) => [path, readFileSync(join(checkout, path)).toString('base64')]);
  return {
    files: Object.fromEntries(files),
    // `status` would otherwise write a refreshed index.
    status: git(checkout, ['--no-optional-locks', 'status', '--porcelain=v2', '--branch', '--ignored']),
  };
}

describe('a checkout', () => {
  it.each([
    ['whole', []],
    ['shallow', ['--depth=1']],
    ['with another branch and a dirty work tree', []],
  ])('%s stays unchanged, to the byte', async (kind, options) => {
    const remote = await Remote.create();
    const checkout = remote.clone(...options);
    if (kind.includes('dirty')) {
      git(checkout, ['switch', '--quiet', '--create', 'work']);
      writeFileSync(join(checkout, 'staged.txt'), 'staged');
      git(checkout, ['add', 'staged.txt']);
      writeFileSync(join(checkout, 'file.txt'), 'changed');
      writeFileSync(join(checkout, 'new.txt'), 'new');
    }
    const before = stateOf(checkout);
    const store = storeOf(checkout);
    await store.read();
    await store.append(buildRun(1), 20);
    await store.append(buildRun(2), 20);
    expect(await idsOf(store)).toEqual(runs(1, 2));
    expect(stateOf(checkout)).toEqual(before);
    expect(remote.count('main')).toBe(1);
  });

  it('is found from a subfolder, from a hook, and with an address relative to its root', async () => {
    const remote = await Remote.create();
    const checkout = remote.clone();
    git(checkout, ['remote', 'set-url', 'origin', '../the remote.git']);
    const folder = join(checkout, 'a', 'b');
    git(checkout, ['init', '--quiet', '--bare', join(remote.home, 'other.git')]);
    await promisify(execFile)('mkdir', ['-p', folder]);
    const env = { ...process.env, GIT_DIR: join(remote.home, 'other.git'), GIT_INDEX_FILE: '/nonexistent' };
    await storeOf(folder, { env }).append(buildRun(1), 20);
    expect(Object.keys(remote.files(branch))).toEqual(['baseline.json', 'runs/run-1.json']);
  });

  it('runs none of the hooks that its user has for all repositories, and pushes no tags', async () => {
    const remote = await Remote.create();
    const checkout = remote.clone();
    remote.hook('pre-push', 'exit 1');
    remote.hook('reference-transaction', 'exit 1');
    const hooks = join(remote.home, 'hooks');
    await promisify(execFile)('mv', [join(remote.path, 'hooks'), hooks]);
    const config = join(remote.home, 'gitconfig');
    writeFileSync(
      config,
      `[core]\n\thooksPath = ${JSON.stringify(hooks)}\n[push]\n\tfollowTags = true\n\tgpgSign = false\n`,
    );
    // The bare repository itself has no hooks.
    git(remote.path, ['config', 'core.hooksPath', '/dev/null']);
    const store = storeOf(checkout, { env: { ...process.env, GIT_CONFIG_GLOBAL: config } });
    await store.append(buildRun(1), 20);
    expect(await idsOf(store)).toEqual(runs(1));
  });

  it('is refused without such a remote, and outside a repository', async () => {
    const remote = await Remote.create();
    expect(await faultOf(storeOf(remote.clone(), { remote: 'upstream' }).read())).toMatchObject({
      code: 'E_BASELINE_REMOTE',
      kind: 'usage',
      place: 'branch perf-gate-baseline of upstream',
    });
    expect(await faultOf(storeOf(remote.home).read())).toMatchObject({ code: 'E_BASELINE_REMOTE' });
    expect(await faultOf(storeOf(remote.clone(), { branch: 'a..b' }).read())).toMatchObject({
      code: 'E_BASELINE_BRANCH',
    });
  });

  it('is refused if its remote no longer exists, or if git is missing', async () => {
    const remote = await Remote.create();
    const checkout = remote.clone();
    git(checkout, ['remote', 'set-url', 'origin', join(remote.home, 'gone.git')]);
    expect(await faultOf(storeOf(checkout).read())).toMatchObject({
      code: 'E_BASELINE_REMOTE',
      cause: expect.stringContaining('gone.git'),
    });
    expect(
      await faultOf(storeOf(checkout, { env: { ...process.env, PATH: '/nonexistent' } }).read()),
    ).toMatchObject({ code: 'E_GIT_MISSING' });
  });
});

describe('the branch', () => {
  it('shares no history with the code, and has small text files and one commit per run', async () => {
    const remote = await Remote.create();
    const store = storeOf(remote.clone());
    for (const number of [1, 2, 3]) await store.append(buildRun(number), 2);
    expect(remote.files(branch)).toEqual({
      'baseline.json': '{"schema":1}',
      'runs/run-2.json': expect.stringMatching(/^\{"schema":1,"id":"run-2".*\}$/),
      'runs/run-3.json': expect.stringMatching(/^\{"schema":1,"id":"run-3".*\}$/),
    });
    expect(remote.count(branch)).toBe(3);
    expect(() => git(remote.path, ['merge-base', 'main', branch])).toThrow();
    expect(git(remote.path, ['log', '-1', '--format=%s%n%b', branch])).toBe(
      'perf-gate: add run run-3 of 1a2b3c4d1a2b\nPerf-Gate-History: 3',
    );
    expect(git(remote.path, ['fsck', '--strict', '--no-dangling'])).toBe('');
  });

  it('can exist next to another one, and keeps files of other programs', async () => {
    const remote = await Remote.create();
    const [checkout, other] = [remote.clone(), remote.clone()];
    const [first, second] = [storeOf(checkout), storeOf(other, { branch: 'perf/baseline' })];
    await Promise.all([first.append(buildRun(1), 20), second.append(buildRun(2), 20)]);
    remote.writeFile(branch, 'README.md', 'about');
    await first.append(buildRun(3), 20);
    expect(await idsOf(first)).toEqual(runs(1, 3));
    expect(await idsOf(second)).toEqual(runs(2));
    expect(remote.files(branch)['README.md']).toBe('about');
  });

  it('is not confused with a branch of code', async () => {
    const remote = await Remote.create();
    const tip = remote.tip('main');
    const store = storeOf(remote.clone(), { branch: 'main' });
    expect(await store.read()).toMatchObject({ kind: 'corrupt', place: 'main:baseline.json' });
    expect(await faultOf(store.append(buildRun(1), 20))).toMatchObject({ code: 'E_BASELINE_CORRUPT' });
    expect(remote.tip('main')).toBe(tip);
  });

  it('counts as new if it has no files', async () => {
    const remote = await Remote.create();
    const store = storeOf(remote.clone());
    remote.commitOn(branch, git(remote.path, ['mktree']), []);
    expect(await store.read()).toEqual({ kind: 'missing' });
    await store.append(buildRun(1), 20);
    expect(remote.count(branch)).toBe(2);
  });

  it('accepts run ids that are not file names', async () => {
    const remote = await Remote.create();
    const store = storeOf(remote.clone());
    const id = '../../a b\n"; echo pwn #/ä\u202e';
    await store.append(buildRun(1, { id }), 20);
    expect(await idsOf(store)).toEqual([id]);
    expect(Object.keys(remote.files(branch))).toHaveLength(2);
  });

  it('starts a new history when it becomes long, and loses no run', async () => {
    const remote = await Remote.create();
    const store = storeOf(remote.clone(), { longestHistory: 3 });
    const counts: number[] = [];
    for (const number of [1, 2, 3, 4, 5]) {
      await store.append(buildRun(number), 20);
      counts.push(remote.count(branch));
    }
    expect(counts).toEqual([1, 2, 3, 1, 2]);
    expect(await idsOf(store)).toEqual(runs(1, 2, 3, 4, 5));
  });

  it('keeps growing if its history may not be replaced', async () => {
    const remote = await Remote.create();
    git(remote.path, ['config', 'receive.denyNonFastForwards', 'true']);
    const store = storeOf(remote.clone(), { longestHistory: 1 });
    for (const number of [1, 2, 3]) await store.append(buildRun(number), 20);
    expect(remote.count(branch)).toBe(3);
    expect(await idsOf(store)).toEqual(runs(1, 2, 3));
  });

  it('accepts a run with many endpoints', async () => {
    const remote = await Remote.create();
    const store = storeOf(remote.clone());
    await store.append(runOfEndpoints(30), 20);
    expect(remote.keptBytes(branch, 'runs/run-1.json')).toBeLessThan(100_000);
    expect(await idsOf(store)).toEqual(runs(1));
  });

  it('returns more runs than it reads at a time', async () => {
    const remote = await Remote.create();
    const store = storeOf(remote.clone());
    await store.append(buildRun(1), 20);
    const files = Array.from({ length: 149 }, (_, index) => {
      const { id, ...run } = buildRun(index + 2, { suite: 'ü'.repeat(index) });
      const text = JSON.stringify({ ...run, id });
      return `M 100644 inline runs/${id}.json\ndata ${Buffer.byteLength(text)}\n${text}\n`;
    });
    const commit = `commit refs/heads/${branch}\ncommitter a <a@example.com> 0 +0000\ndata 0\nfrom refs/heads/${branch}^0\n`;
    git(remote.path, ['fast-import', '--quiet'], commit + files.join(''));
    expect(await idsOf(store)).toEqual(Array.from({ length: 150 }, (_, index) => `run-${index + 1}`));
  });

  it('refuses a run of more than 100 kB', async () => {
    const remote = await Remote.create();
    expect(await faultOf(storeOf(remote.clone()).append(runOfEndpoints(200), 20))).toMatchObject({
      code: 'E_BASELINE_RUN_SIZE',
    });
    expect(remote.tip(branch)).toBe('');
  });
});

describe('a damaged file', () => {
  // src/adapters/baseline/baseline-json.test.ts tests every length, without git.
  it('is corrupt wherever it ends too early', async () => {
    const remote = await Remote.create();
    const store = storeOf(remote.clone());
    await store.append(buildRun(1), 20);
    for (const [path, text] of Object.entries(remote.files(branch))) {
      await fc.assert(
        fc.asyncProperty(fc.nat(text.length - 1), async (length) => {
          remote.writeFile(branch, path, text.slice(0, length));
          expect(await store.read()).toMatchObject({
            kind: 'corrupt',
            place: expect.stringContaining(`${branch}:${path}:`),
          });
        }),
        { numRuns: 15 },
      );
      const tip = remote.tip(branch);
      expect(await faultOf(store.append(buildRun(2), 20))).toMatchObject({ code: 'E_BASELINE_CORRUPT' });
      expect(remote.tip(branch)).toBe(tip);
      remote.writeFile(branch, path, text);
    }
  });

  it.each([
    ['a link', '/etc/passwd', '120000', /plain file/],
    ['1.1 MB', ' '.repeat(1_100_000), '100644', /too long/],
    ['a different run', JSON.stringify(buildRun(2)), '100644', /run-2/],
  ])('is reported if it is %s', async (_, text, mode, cause) => {
    const remote = await Remote.create();
    const store = storeOf(remote.clone());
    await store.append(buildRun(1), 20);
    remote.writeFile(branch, 'runs/run-1.json', text, mode);
    expect(await store.read()).toEqual({
      kind: 'corrupt',
      place: expect.stringContaining(`${branch}:runs/run-1.json`),
      cause: expect.stringMatching(cause),
    });
  });

  it('is reported if the file with the schema is gone', async () => {
    const remote = await Remote.create();
    const store = storeOf(remote.clone());
    await store.append(buildRun(1), 20);
    const tree = git(remote.path, ['mktree'], git(remote.path, ['ls-tree', branch, 'runs']));
    remote.commitOn(branch, tree, [remote.tip(branch)]);
    expect(await store.read()).toMatchObject({ kind: 'corrupt', place: `${branch}:baseline.json` });
  });
});

describe('the order of runs', () => {
  /** Commits a, b and c on main, which its clones have. */
  function history(remote: Remote): string[] {
    const tree = git(remote.path, ['rev-parse', 'main^{tree}']);
    return [1, 2, 3].map(() => remote.commitOn('main', tree, [remote.tip('main')]));
  }
  const of = (commit: string | undefined) => ({
    code: { commit: commit ?? '', branch: 'main', dirty: false },
  });

  it('follows their commits, not their start times; unknown commits keep their place in time', async () => {
    const remote = await Remote.create();
    const [a, b, c] = history(remote);
    const store = storeOf(remote.clone());
    await store.append(buildRun(1, of(c)), 20);
    await store.append(buildRun(2, of('f'.repeat(40))), 20);
    await store.append(buildRun(3, of(b)), 20);
    await store.append(buildRun(4, of('e'.repeat(40))), 20);
    const { runs: appended } = await store.append(buildRun(5, of(a)), 20);
    expect(appended.map(({ id }) => id)).toEqual(runs(5, 2, 3, 4, 1));
    expect(await idsOf(store)).toEqual(runs(5, 2, 3, 4, 1));
    // A shallow clone knows only the newest commit.
    expect(await idsOf(storeOf(remote.clone('--depth=1')))).toEqual(runs(1, 2, 3, 4, 5));
  });

  it('decides which runs are dropped', async () => {
    const remote = await Remote.create();
    const [a, b, c] = history(remote);
    const store = storeOf(remote.clone());
    await store.append(buildRun(1, of(b)), 2);
    await store.append(buildRun(2, of(c)), 2);
    const { runs: kept } = await store.append(buildRun(3, of(a)), 2);
    expect(kept.map(({ id }) => id)).toEqual(runs(1, 2));
    expect(remote.count(branch)).toBe(2);
  });
});

describe('writers at the same time', () => {
  it('lose none of 60 runs, when 12 writers add 5 each', async () => {
    const remote = await Remote.create();
    const script = `
      import { createBranchStore } from ${JSON.stringify(new URL('../../src/adapters/baseline/branch-store.ts', import.meta.url).href)};
      import { createSystemClock } from ${JSON.stringify(new URL('../../src/adapters/host/system-clock.ts', import.meta.url).href)};
      import { buildRun } from ${JSON.stringify(new URL('./run-builder.ts', import.meta.url).href)};
      const [directory, first] = process.argv.slice(1);
      const store = createBranchStore({
        directory, branch: '${branch}', remote: 'origin', env: process.env,
        clock: createSystemClock(), signal: new AbortController().signal,
        // As by default, but with more time for a slow machine.
        backOff: { firstMs: 100, mostMs: 4_000, attempts: 60, withinMs: 600_000 },
      });
      for (let offset = 0; offset < 5; offset++) await store.append(buildRun(Number(first) + offset), 100);
    `;
    const checkouts = Array.from({ length: 12 }, () => remote.clone('--depth=1'));
    const begun = performance.now();
    await Promise.all(
      checkouts.map((checkout, writer) =>
        promisify(execFile)(process.execPath, [
          '--input-type=module',
          '--eval',
          script,
          checkout,
          `${writer * 5}`,
        ]),
      ),
    );
    const seconds = (performance.now() - begun) / 1000;
    process.stdout.write(`60 baseline writes from 12 processes: ${seconds.toFixed(1)} s\n`);
    expect(await idsOf(storeOf(remote.clone()))).toEqual(
      Array.from({ length: 60 }, (_, number) => `run-${number}`),
    );
    expect(remote.count(branch)).toBe(60);
  });

  it('create the branch only once, and the others add to it', async () => {
    const remote = await Remote.create();
    await Promise.all([1, 2, 3, 4].map((number) => storeOf(remote.clone()).append(buildRun(number), 20)));
    expect(await idsOf(storeOf(remote.clone()))).toEqual(runs(1, 2, 3, 4));
    expect(remote.count(branch)).toBe(4);
  });

  it('lose none while the history is replaced', async () => {
    const remote = await Remote.create();
    await Promise.all(
      [1, 2, 3, 4, 5, 6].map((number) =>
        storeOf(remote.clone(), { longestHistory: 2 }).append(buildRun(number), 20),
      ),
    );
    expect(await idsOf(storeOf(remote.clone()))).toEqual(runs(1, 2, 3, 4, 5, 6));
    expect(remote.count(branch)).toBeLessThan(6);
  });
});

describe('a write', () => {
  it('starts again if the branch was deleted after it was read', async () => {
    const remote = await Remote.create();
    const checkout = remote.clone();
    const store = storeOf(checkout, { backOff: quick });
    await store.append(buildRun(1), 20);
    remote.beforePush(
      checkout,
      'if ! [ -e "$1/deleted" ]; then touch "$1/deleted"; git --git-dir="$1" update-ref -d refs/heads/perf-gate-baseline; fi',
    );
    const { runs: appended } = await store.append(buildRun(2), 20);
    expect(appended.map(({ id }) => id)).toEqual(runs(2));
    expect(await idsOf(store)).toEqual(runs(2));
    expect(remote.count(branch)).toBe(1);
  });

  it.each([
    ['creates the branch', 0],
    ['adds to it', 1],
  ])('is not repeated if it %s and its answer was lost', async (_, present) => {
    const remote = await Remote.create();
    const store = storeOf(remote.clone(), { backOff: quick });
    if (present === 1) await store.append(buildRun(1), 20);
    // The server writes the ref, and is killed before it can answer.
    remote.hook(
      'reference-transaction',
      'if [ "$1" = committed ]; then echo killed >> killed; kill -9 $PPID; fi',
    );
    await store.append(buildRun(2), 20);
    expect(readFileSync(join(remote.path, 'killed'), 'utf8')).toBe('killed\n');
    expect(remote.count(branch)).toBe(present + 1);
    expect(await idsOf(store)).toContain('run-2');
  });

  it.each([
    ['update', 'GH006: Protected branch update failed'],
    ['pre-receive', 'GH013: Repository rule violations found'],
  ])('is not repeated if a %s hook refuses it', async (hook, words) => {
    const remote = await Remote.create();
    remote.hook(hook, `echo tried >> tried; echo "error: ${words}" >&2; exit 1`);
    const fault = await faultOf(storeOf(remote.clone(), { backOff: quick }).append(buildRun(1), 20));
    expect(fault).toMatchObject({
      code: 'E_BASELINE_PROTECTED',
      kind: 'measurement',
      place: 'branch perf-gate-baseline of origin',
      cause: expect.stringContaining('hook declined'),
    });
    expect(fault.logTail?.join('\n')).toContain(words);
    expect(readFileSync(join(remote.path, 'tried'), 'utf8')).toBe('tried\n');
  });

  it.each([
    ['refuses new commits', 100, 1],
    ['also refuses a new history', 1, 2],
  ])('leaves the branch whole and is not repeated if the remote %s', async (_, longestHistory, tries) => {
    const remote = await Remote.create();
    const store = storeOf(remote.clone(), { backOff: quick, longestHistory });
    await store.append(buildRun(1), 20);
    const tip = remote.tip(branch);
    remote.hook('pre-receive', 'echo tried >> tried; echo "error: GH006: Protected branch" >&2; exit 1');
    expect(await faultOf(store.append(buildRun(2), 20))).toMatchObject({ code: 'E_BASELINE_PROTECTED' });
    expect(readFileSync(join(remote.path, 'tried'), 'utf8')).toBe('tried\n'.repeat(tries));
    expect(remote.tip(branch)).toBe(tip);
    expect(await idsOf(store)).toEqual(runs(1));
  });

  it('fails at last if others are always first', async () => {
    const remote = await Remote.create();
    const checkout = remote.clone();
    const store = storeOf(checkout, { backOff: quick });
    await store.append(buildRun(1), 20);
    remote.beforePush(
      checkout,
      `export GIT_DIR="$1"; git update-ref refs/heads/${branch} $(git -c user.name=o -c user.email=o@o commit-tree -p ${branch} -m other ${branch}^{tree})`,
    );
    expect(await faultOf(store.append(buildRun(2), 20))).toMatchObject({
      code: 'E_BASELINE_CONTENTION',
      cause: expect.stringMatching(/3 attempts/),
    });
  });

  it('ends at once when it is interrupted', async () => {
    const remote = await Remote.create();
    const checkout = remote.clone();
    const controller = new AbortController();
    const reason = new Error('interrupted');
    // The hook never ends on its own; the file shows that it has started.
    remote.beforePush(checkout, 'touch "$1/begun"; exec sleep 600');
    const writing = storeOf(checkout, { signal: controller.signal }).append(buildRun(1), 20);
    const ended = expect(writing).rejects.toBe(reason);
    await expect.poll(() => readdirSync(remote.path), { timeout: 60_000 }).toContain('begun');
    controller.abort(reason);
    await ended;
  });
});

describe('a remote that does not answer', () => {
  it('is reported after a few attempts', async () => {
    const remote = await Remote.create();
    const checkout = remote.clone();
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    await new Promise((resolve) => server.close(resolve));
    git(checkout, ['remote', 'set-url', 'origin', `http://someone:s3cr3t-pass@127.0.0.1:${port}/o/r.git`]);
    const fault = await faultOf(storeOf(checkout, { backOff: quick }).read());
    expect(fault).toMatchObject({ code: 'E_BASELINE_NETWORK', kind: 'measurement' });
    expect(fault.cause).toMatch(/4 attempts.*(?:connect|refused)/i);
    expect(JSON.stringify(fault)).not.toMatch(/s3cr3t|someone/);
  });

  it('is given up after a limited time if it sends nothing at all', async () => {
    const remote = await Remote.create();
    const checkout = remote.clone();
    const server = createServer(() => undefined).listen(0, '127.0.0.1');
    onTestFinished(() => {
      server.close();
    });
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    git(checkout, [
      'remote',
      'set-url',
      'origin',
      `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/o/r.git`,
    ]);
    const fault = await faultOf(
      storeOf(checkout, { backOff: { ...quick, withinMs: 0 }, commandWithinMs: 5_000 }).read(),
    );
    expect(fault).toMatchObject({
      code: 'E_BASELINE_NETWORK',
      cause: expect.stringContaining('without an answer in 5 s'),
    });
  });
});
