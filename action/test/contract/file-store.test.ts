import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createFixture } from 'fs-fixture';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseBaseline } from '../../src/adapters/baseline/baseline-json.ts';
import { createFileStore } from '../../src/adapters/baseline/file-store.ts';
import { startTimeOf } from '../../src/adapters/host/process-table.ts';
import { writeRunFile } from '../../src/adapters/results/result-files.ts';
import { describeBaselineStore } from './baseline-store-contract.ts';
import { faultOf } from './fault-of.ts';
import { buildRun } from './run-builder.ts';

async function folder(files: Record<string, string> = {}): Promise<string> {
  const fixture = await createFixture(files);
  onTestFinished(() => fixture.rm());
  return fixture.path;
}

/** Mounts a small file system; undefined if that is not allowed. */
async function mount(options: string): Promise<string | undefined> {
  const path = await folder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  onTestFinished(() => {
    execFileSync('umount', [path]);
  });
  return path;
}

const largeRun = buildRun(2, {
  phases: Array.from({ length: 20_000 }, (_, index) => ({ phase: `phase-${index}`, seconds: 1 })),
});

describeBaselineStore('the file store', async () => {
  const directory = await folder();
  return {
    store: createFileStore(directory),
    reopen: async () => createFileStore(directory),
    files: async () =>
      Object.fromEntries(
        readdirSync(directory, { recursive: true, encoding: 'utf8' })
          .filter((name) => name.endsWith('.json'))
          .map((name) => [name, readFileSync(join(directory, name), 'utf8')]),
      ),
    writeFile: async (path, text) => writeFileSync(join(directory, path), text),
  };
});

describe('the file store', () => {
  it('starts empty, in a folder that it makes', async () => {
    const directory = join(await folder(), 'a', 'b');
    const store = createFileStore(directory);
    expect(await store.read()).toEqual({ kind: 'missing' });
    const appended = await store.append(buildRun(1), 20);
    expect(await store.read()).toEqual({ kind: 'found', baseline: appended });
    expect(readdirSync(directory)).toEqual(['baseline.json']);
    expect(store.place).toContain('baseline.json');
  });

  it('never accepts a file that ends too early', async () => {
    const directory = await folder();
    await createFileStore(directory).append(buildRun(1), 20);
    const text = readFileSync(join(directory, 'baseline.json'), 'utf8');
    for (let length = 0; length < text.length; length++) {
      expect(parseBaseline(text.slice(0, length), 'b.json').kind).toBe('corrupt');
    }
    expect(parseBaseline(text, 'b.json').kind).toBe('found');
  });

  it.each([
    ['', /b\.json:1:1$/, /empty/],
    ['{"schema":1,\n"runs":[}', /b\.json:2:9$/, /damaged/],
    ['null', /b\.json$/, /./],
    ['{"schema":1,"runs":[{"schema":1}]}', /b\.json runs\[0\]\.id$/, /./],
    ['{"schema":"2","runs":[]}', /b\.json schema$/, /./],
  ])('reports %j as corrupt, with its place', (text, place, cause) => {
    expect(parseBaseline(text, 'b.json')).toEqual({
      kind: 'corrupt',
      place: expect.stringMatching(place),
      cause: expect.stringMatching(cause),
    });
  });

  it.each([
    ['{"schema":2,"anything":true}', 'b.json schema'],
    ['{"schema":1,"runs":[{"schema":2}]}', 'b.json runs[0].schema'],
  ])('reports %j as newer', (text, place) => {
    expect(parseBaseline(text, 'b.json')).toEqual({ kind: 'newer', place, schema: 2 });
  });

  it.each([
    ['{"schema":0,"anything":true}', 'b.json schema'],
    ['{"schema":1,"runs":[{"schema":0}]}', 'b.json runs[0].schema'],
  ])('reports %j as older', (text, place) => {
    expect(parseBaseline(text, 'b.json')).toEqual({ kind: 'older', place, schema: 0 });
  });

  it.each([
    ['{"schema":1,"runs":[', 'E_BASELINE_CORRUPT'],
    ['', 'E_BASELINE_CORRUPT'],
    ['{"schema":2}', 'E_BASELINE_NEWER'],
  ])('does not overwrite %j', async (text, code) => {
    const directory = await folder({ 'baseline.json': text });
    expect(await faultOf(createFileStore(directory).append(buildRun(1), 20))).toMatchObject({ code });
    expect(readFileSync(join(directory, 'baseline.json'), 'utf8')).toBe(text);
    expect(readdirSync(directory)).toEqual(['baseline.json']);
  });

  it('says why a file cannot be read', async () => {
    const directory = await folder();
    mkdirSync(join(directory, 'baseline.json'));
    expect(await faultOf(createFileStore(directory).read())).toMatchObject({ code: 'E_BASELINE_READ' });
  });

  it('loses no run when many processes append at once', async () => {
    const directory = await folder();
    const script = `
      import { createFileStore } from ${JSON.stringify(new URL('../../src/adapters/baseline/file-store.ts', import.meta.url).href)};
      import { buildRun } from ${JSON.stringify(new URL('./run-builder.ts', import.meta.url).href)};
      const store = createFileStore(process.argv[1]);
      const first = Number(process.argv[2]);
      await Promise.all([0, 1, 2, 3, 4].map((offset) => store.append(buildRun(first + offset), 100)));
    `;
    await Promise.all(
      Array.from({ length: 6 }, (_, process_) =>
        promisify(execFile)(process.execPath, [
          '--input-type=module',
          '--eval',
          script,
          directory,
          String(process_ * 5),
        ]),
      ),
    );
    const read = await createFileStore(directory).read();
    expect(read.kind === 'found' && read.baseline.runs.map(({ id }) => id)).toEqual(
      Array.from({ length: 30 }, (_, number) => `run-${number}`),
    );
    expect(readdirSync(directory)).toEqual(['baseline.json']);
  });

  it('takes over from a process that was killed while it wrote', async () => {
    const directory = await folder();
    // This writer is killed while it holds the lock, with half a temporary file written.
    const script = `
      import { takeLock } from ${JSON.stringify(new URL('../../src/adapters/host/file-lock.ts', import.meta.url).href)};
      await takeLock(process.argv[1] + '/baseline.json.lock', 1000, () => new Error('busy'));
      process.kill(process.pid, 'SIGKILL');
    `;
    await expect(
      promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script, directory]),
    ).rejects.toMatchObject({ signal: 'SIGKILL' });
    writeFileSync(join(directory, '.baseline.json.tmp'), '{"schema":1,');
    expect(readdirSync(directory)).toContain('baseline.json.lock');
    await createFileStore(directory).append(buildRun(1), 20);
    expect(readdirSync(directory)).toEqual(['baseline.json']);
  });

  it('waits a limited time for a live holder', async () => {
    const holder = {
      pid: process.pid,
      startTime: startTimeOf(process.pid),
      host: (await import('node:os')).hostname(),
      since: 'now',
    };
    const directory = await folder({ 'baseline.json.lock': JSON.stringify(holder) });
    const details = await faultOf(createFileStore(directory, 200).append(buildRun(1), 20));
    expect(details).toMatchObject({
      code: 'E_BASELINE_LOCKED',
      cause: expect.stringContaining(`${process.pid}`),
    });
  });

  it('keeps the old file when the disk is full', async (context) => {
    const directory = await mount('size=256k');
    if (directory === undefined) return context.skip('needs the right to mount a small file system');
    const store = createFileStore(directory);
    await store.append(buildRun(1), 20);
    const before = readFileSync(join(directory, 'baseline.json'), 'utf8');
    expect(await faultOf(store.append(largeRun, 20))).toMatchObject({
      code: 'E_DISK_FULL',
      kind: 'measurement',
    });
    expect(await faultOf(writeRunFile(join(directory, 'results'), largeRun))).toMatchObject({
      code: 'E_DISK_FULL',
    });
    expect(readFileSync(join(directory, 'baseline.json'), 'utf8')).toBe(before);
    expect(readdirSync(directory, { recursive: true }).toSorted()).toEqual(['baseline.json', 'results']);
  });

  it('reports a read-only folder', async (context) => {
    const directory = await mount('size=256k,ro');
    if (directory === undefined) return context.skip('needs the right to mount a small file system');
    expect(await faultOf(createFileStore(directory).append(buildRun(1), 20))).toMatchObject({
      code: 'E_BASELINE_WRITE',
      cause: expect.stringContaining('EROFS'),
    });
    expect(await faultOf(writeRunFile(directory, buildRun(1)))).toMatchObject({ code: 'E_RESULTS_WRITE' });
  });

  it('reports a file that has the name of the folder', async () => {
    const directory = await folder({ results: 'a file' });
    expect(await faultOf(writeRunFile(join(directory, 'results'), buildRun(1)))).toMatchObject({
      code: 'E_RESULTS_WRITE',
    });
  });
});
