import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createFixture, type FsFixture } from 'fs-fixture';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSystemClock } from '../host/index.ts';
import { DataFolders } from './data-folders.ts';
import { SeededData } from './seeded-data.ts';
import { createProcessStack } from './stack.ts';
import { StackWork } from './stack-work.ts';

let fixture: FsFixture;
const notes: string[] = [];
/** Counts its runs in runs.txt. */
const config = {
  command: [
    'sh',
    '-c',
    'echo run >> runs.txt; cat seed.sql > "$WORK_DIR/data/rows"; chmod 700 "$WORK_DIR/data"',
  ],
  key: ['seed.sql'],
  snapshot: ['${WORK_DIR}/data'],
};

beforeEach(async () => {
  fixture = await createFixture({ 'seed.sql': 'a\n', 'src/a.txt': 'a\n' });
  notes.length = 0;
});
afterEach(() => fixture.rm());

function dataOf(more: Partial<typeof config> = {}, work = 'work'): SeededData {
  const variables = { WORK_DIR: fixture.getPath(work), CACHE_DIR: fixture.getPath('cache') };
  const env = { PATH: process.env.PATH, ...variables };
  const stackWork = new StackWork(
    {
      config: undefined,
      root: fixture.path,
      cacheDirectory: variables.CACHE_DIR,
      workDirectory: variables.WORK_DIR,
      logDirectory: fixture.getPath('logs'),
      env,
      clock: createSystemClock(),
      note: (text) => notes.push(text),
    },
    'processes.json',
  );
  stackWork.begin();
  const given = { ...config, ...more };
  const place = new DataFolders(given.snapshot, variables, stackWork);
  return new SeededData({ config: given, work: stackWork, place, variables, env });
}

async function seeded(data: SeededData, signal = new AbortController().signal): Promise<SeededData> {
  await data.seed(signal);
  await data.restore(signal);
  return data;
}

const text = (path: string) => readFile(fixture.getPath(path), 'utf8');

describe('seeded data', () => {
  it('is made once, and restored as it was whatever a load has done to it', async () => {
    await seeded(dataOf());
    await writeFile(fixture.getPath('work/data/rows'), 'changed\n');
    await writeFile(fixture.getPath('work/data/more'), 'added\n');
    await seeded(dataOf());
    expect(await readdir(fixture.getPath('work/data'))).toEqual(['rows']);
    expect(await text('work/data/rows')).toBe('a\n');
    expect(await text('runs.txt')).toBe('run\n');
    expect(notes).toHaveLength(1);
  });

  it('keeps permissions, which a database checks', async () => {
    await seeded(dataOf());
    const { mode } = await stat(fixture.getPath('work/data'));
    expect(mode & 0o777).toBe(0o700);
  });

  it('is shared by two checkouts, and made again if a file of its key changes', async () => {
    const first = await seeded(dataOf());
    const other = await seeded(dataOf({}, 'other'));
    expect(other.key).toBe(first.key);
    expect(await text('other/data/rows')).toBe('a\n');
    await fixture.writeFile('seed.sql', 'b\n');
    const changed = await seeded(dataOf());
    expect(changed.key).not.toBe(first.key);
    expect(await text('work/data/rows')).toBe('b\n');
    expect(await text('runs.txt')).toBe('run\nrun\n');
  });

  it('leaves no snapshot behind if the command fails, and begins with empty folders', async () => {
    const failing = { command: ['sh', '-c', 'echo half > "$WORK_DIR/data/half"; echo no disk >&2; exit 3'] };
    await expect(seeded(dataOf(failing))).rejects.toMatchObject({
      details: { code: 'E_DATA', cause: 'the command ended with exit code 3', logTail: ['no disk'] },
    });
    const again = { command: ['sh', '-c', 'ls "$WORK_DIR/data" > "$WORK_DIR/data/found"'] };
    await seeded(dataOf(again));
    expect(await text('work/data/found')).toBe('found\n');
    expect(await readdir(fixture.getPath('cache/snapshots'))).toHaveLength(1);
  });

  it('survives that another check seeds it at the same time', async () => {
    await Promise.all([seeded(dataOf()), seeded(dataOf({}, 'other'))]);
    expect(await text('work/data/rows')).toBe('a\n');
    expect(await text('other/data/rows')).toBe('a\n');
    expect(await readdir(fixture.getPath('cache/snapshots'))).toHaveLength(1);
  });

  it.each([
    ['E_DATA', { command: ['true'] }],
    ['E_DATA', { command: ['sh', '-c', 'rm -r "$WORK_DIR/data"'] }],
    ['E_DATA_KEY', { key: ['nowhere.sql'] }],
    ['E_DATA_FOLDER', { snapshot: ['src'] }],
    ['E_DATA_FOLDER', { snapshot: ['${WORK_DIR}'] }],
    ['E_DATA_FOLDER', { snapshot: ['${WORK_DIR}/../src'] }],
    ['E_CONFIG_VARIABLE', { snapshot: ['${HOME}/data'] }],
  ])('ends with %s for %j, and deletes nothing of the checkout', async (code, more) => {
    const work = Promise.resolve().then(() => seeded(dataOf(more)));
    await expect(work).rejects.toMatchObject({ details: { code, kind: 'usage' } });
    expect(await text('src/a.txt')).toBe('a\n');
  });
});

describe('a process stack with data', () => {
  // Writes once, however often it is asked whether it is ready.
  const serve = `require('node:fs').appendFileSync(process.env.WORK_DIR + '/data/rows', 'written\\n');
  require('node:http').createServer((_, response) => response.end()).listen(process.env.PORT)`;
  const service = {
    command: [process.execPath, '-e', serve],
    env: {},
    ports: { PORT: 'auto' as const },
    url: 'http://127.0.0.1:${PORT}',
    ready: { url: 'http://127.0.0.1:${PORT}', within: 60 },
    stopWithin: 5,
  };
  const announce = (key: string) =>
    `cp "$WORK_DIR/data/rows" at-start.txt; echo '{"ready":true,"env":{},"dataKey":"${key}"}'; cat >/dev/null`;

  function stackOf(backing?: string) {
    return createProcessStack({
      config: {
        root: '.',
        build: [],
        backingMetrics: [],
        data: config,
        service,
        ...(backing === undefined
          ? {}
          : { backing: { command: ['sh', '-c', backing], env: {}, readyWithin: 60 } }),
      },
      root: fixture.path,
      cacheDirectory: fixture.getPath('cache'),
      workDirectory: fixture.getPath('work'),
      logDirectory: fixture.getPath('logs'),
      env: { PATH: process.env.PATH },
      clock: createSystemClock(),
      note: (note) => notes.push(note),
    });
  }

  async function keyOf(stack: ReturnType<typeof stackOf>): Promise<string> {
    const signal = AbortSignal.timeout(60_000);
    try {
      await stack.prepare(signal);
      await stack.up(signal);
      return (await stack.boot(signal)).dataKey;
    } finally {
      await stack.down();
    }
  }

  it('restores it at each start of the service, and names its key', async () => {
    const key = await keyOf(stackOf());
    expect(key).toMatch(/^[0-9a-f]{16}$/);
    expect(await text('work/data/rows')).toBe('a\nwritten\n');
    expect(await keyOf(stackOf())).toBe(key);
    expect(await text('work/data/rows')).toBe('a\nwritten\n');
    expect(await text('runs.txt')).toBe('run\n');
  });

  it('restores it before the backing services start, whose own key counts too', async () => {
    const own = await keyOf(stackOf(announce('')));
    const both = await keyOf(stackOf(announce('0123456789abcdef')));
    expect(await text('at-start.txt')).toBe('a\n');
    expect(both).toMatch(/^[0-9a-f]{16}$/);
    expect(both).not.toBe(own);
    expect(await text('runs.txt')).toBe('run\n');
  });
});
