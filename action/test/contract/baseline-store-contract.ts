import { describe, expect, it } from 'vitest';
import { pinText } from '../../src/adapters/baseline/baseline-json.ts';
import type { EditableBaseline } from '../../src/check/ports.ts';
import type { BaselineRead } from '../../src/model/baseline.ts';
import type { Pin } from '../../src/model/pin.ts';
import type { Run } from '../../src/model/run.ts';
import { faultOf } from './fault-of.ts';
import { buildRun } from './run-builder.ts';

/** An empty store, and direct access to its files. */
export interface StoreSubject {
  readonly store: EditableBaseline;
  /** Opens the same place like another process or machine. */
  reopen(): Promise<EditableBaseline>;
  /** Every stored file, by its path. */
  files(): Promise<Readonly<Record<string, string>>>;
  writeFile(path: string, text: string): Promise<void>;
}

const ids = (runs: readonly { readonly id: string }[]) => runs.map(({ id }) => id);

/** The behaviour that every baseline store must have. */
export function describeBaselineStore(name: string, open: () => Promise<StoreSubject>): void {
  describe(`${name}, like every store`, () => {
    it('starts empty, and returns the stored runs', async () => {
      const { store, reopen } = await open();
      expect(await store.read()).toEqual({ kind: 'missing' });
      const appended = await store.append(buildRun(1), 20);
      expect(ids(appended.runs)).toEqual(['run-1']);
      expect(await store.read()).toEqual({ kind: 'found', baseline: appended });
      expect(await (await reopen()).read()).toEqual({ kind: 'found', baseline: appended });
    });

    it('leaves out only histograms', async () => {
      const { store } = await open();
      await store.append(buildRun(1), 20);
      const read = await store.read();
      const block = read.kind === 'found' ? read.baseline.runs[0]?.cells[0]?.blocks[0] : undefined;
      expect(block?.latency).toEqual({ meanMs: 12, p50Ms: 10, p90Ms: 20, p95Ms: 25, p99Ms: 40, maxMs: 80 });
      expect(block?.endpoints[0]?.latency).not.toHaveProperty('histogram');
      expect(block?.signals).toEqual({ histogram: 3 });
    });

    it('keeps the newest runs of each fingerprint, oldest first, and a repeated run once', async () => {
      const { store, files } = await open();
      const { fingerprint } = buildRun(0);
      const reordered = { ...fingerprint, versions: { mariadb: '11.4.5', jdk: '25.0.3' } };
      await store.append(buildRun(9, { fingerprint: { ...fingerprint, cpuModel: 'other' } }), 2);
      for (const number of [1, 3, 2, 4]) {
        await store.append(buildRun(number, number === 2 ? { fingerprint: reordered } : {}), 2);
      }
      const before = await files();
      const { runs } = await store.append(buildRun(4), 2);
      expect(ids(runs)).toEqual(['run-3', 'run-4', 'run-9']);
      expect(await files()).toEqual(before);
      expect(Object.values(before).join('\n')).not.toContain('"run-2"');
    });

    it('shows each of two writers the runs of the other', async () => {
      const { store, reopen } = await open();
      const other = await reopen();
      await store.append(buildRun(1), 20);
      await other.append(buildRun(2), 20);
      expect(ids((await store.append(buildRun(3), 20)).runs)).toEqual(['run-1', 'run-2', 'run-3']);
    });

    it.each([
      ['empty', () => '', 'corrupt', 'E_BASELINE_CORRUPT'],
      ['cut off', (text: string) => text.slice(0, -1), 'corrupt', 'E_BASELINE_CORRUPT'],
      ['of the next schema', schemaOf(2), 'newer', 'E_BASELINE_NEWER'],
      ['of the schema before', schemaOf(0), 'older', 'E_BASELINE_OLDER'],
      [
        'of a schema that is not a number',
        (text: string) => text.replace('"schema":1', '"schema":"1"'),
        'corrupt',
        'E_BASELINE_CORRUPT',
      ],
    ])('reports a file that is %s with its path, and never overwrites it', async (_, damage, kind, code) => {
      const { store, files, writeFile } = await open();
      await store.append(buildRun(1), 20);
      for (const [path, sound] of Object.entries(await files())) {
        await writeFile(path, damage(sound));
        const damaged = await files();
        expect(await store.read()).toMatchObject({ kind, place: expect.stringContaining(path) });
        expect(await faultOf(store.append(buildRun(2), 20))).toMatchObject({
          code,
          place: expect.stringContaining(path),
        });
        expect(await files()).toEqual(damaged);
        await writeFile(path, sound);
      }
    });

    it('takes out one run, once, and nothing that is not there', async () => {
      const { store, reopen, files } = await open();
      for (const number of [1, 2, 3]) await store.append(buildRun(number), 20);
      await store.remove('run-2');
      const after = await files();
      expect(storedIds(await (await reopen()).read())).toEqual(['run-1', 'run-3']);
      await store.remove('run-2');
      await store.remove('../baseline');
      expect(await files()).toEqual(after);
      await store.remove('run-1');
      await store.remove('run-3');
      expect(storedIds(await store.read())).toEqual([]);
    });

    it('keeps a pinned run when newer ones push it out, and after it was removed', async () => {
      const { store, reopen } = await open();
      expect(await store.pins()).toEqual([]);
      const { runs } = await store.append(buildRun(1), 1);
      const [run = buildRun(1)] = runs;
      await store.pin(pinOf(run, 'v1.0.0'));
      await store.append(buildRun(2), 1);
      await store.remove('run-1');
      expect(storedIds(await store.read())).toEqual(['run-2']);
      const other = await reopen();
      expect(await other.pins()).toEqual([pinOf(run, 'v1.0.0')]);
      await other.unpin('v1.0.0');
      await other.unpin('v1.0.0');
      expect(await store.pins()).toEqual([]);
    });

    it('pins a run once by a name, and gives that name to no other run', async () => {
      const { store, files } = await open();
      await store.append(buildRun(1), 20);
      await store.append(buildRun(2), 20);
      await store.pin(pinOf(buildRun(1), 'v1'));
      const before = await files();
      await store.pin({ ...pinOf(buildRun(1), 'v1'), pinnedAt: '2027-01-01T00:00:00.000Z' });
      expect(await faultOf(store.pin(pinOf(buildRun(2), 'v1')))).toMatchObject({
        code: 'E_BASELINE_PIN_TAKEN',
        cause: expect.stringContaining('run-1'),
      });
      expect(await files()).toEqual(before);
    });

    it('refuses a damaged pin, and still reads the runs', async () => {
      const { store, writeFile } = await open();
      await store.append(buildRun(1), 20);
      await store.pin(pinOf(buildRun(1), 'v1'));
      for (const text of ['', '{"schema":1}', pinText({ ...pinOf(buildRun(1), 'v2') })]) {
        await writeFile('pins/v1.json', text);
        expect(await faultOf(store.pins())).toMatchObject({
          code: 'E_BASELINE_CORRUPT',
          place: expect.stringContaining('pins/v1.json'),
        });
        expect(storedIds(await store.read())).toEqual(['run-1']);
      }
    });

    it('loses no change of several writers at once', async () => {
      const { store, reopen } = await open();
      for (const number of [1, 2, 3]) await store.append(buildRun(number), 20);
      const others = await Promise.all([reopen(), reopen(), reopen(), reopen()]);
      const [first = store, second = store, third = store, fourth = store] = others;
      await Promise.all([
        first.remove('run-1'),
        second.append(buildRun(4), 20),
        third.pin(pinOf(buildRun(2), 'v2')),
        fourth.remove('run-3'),
      ]);
      expect(storedIds(await store.read())).toEqual(['run-2', 'run-4']);
      expect((await store.pins()).map(({ name }) => name)).toEqual(['v2']);
    });
  });
}

function storedIds(read: BaselineRead) {
  return read.kind === 'found' ? ids(read.baseline.runs) : read;
}

function pinOf(run: Run, name: string): Pin {
  return { schema: 1, name, pinnedAt: '2026-02-01T00:00:00.000Z', run };
}

function schemaOf(schema: number) {
  return (text: string) => text.replace('"schema":1', `"schema":${schema}`);
}
