import { describe, expect, it } from 'vitest';
import type { BaselineStore } from '../../src/check/ports.ts';
import { faultOf } from './fault-of.ts';
import { buildRun } from './run-builder.ts';

/** An empty store, and direct access to its files. */
export interface StoreSubject {
  readonly store: BaselineStore;
  /** Opens the same place like another process or machine. */
  reopen(): Promise<BaselineStore>;
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
  });
}

function schemaOf(schema: number) {
  return (text: string) => text.replace('"schema":1', `"schema":${schema}`);
}
