import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFixture } from 'fs-fixture';
import { expect, it, onTestFinished } from 'vitest';
import { faultOf } from '../../../test/contract/fault-of.ts';
import { readDetectionInput } from './detection-input.ts';

const perf = join(import.meta.dirname, '../../../../perf');

/** A folder with a copy of the configuration, and of the recorded rows if they are asked for. */
async function copied(rows: boolean) {
  const fixture = await createFixture({});
  onTestFinished(() => fixture.rm());
  const folder = fixture.getPath('detection');
  if (rows) cpSync(join(perf, 'detection'), folder, { recursive: true });
  return { configPath: join(perf, 'gate.yml'), suite: 'pr', folder };
}

it('reads the recorded rows next to the configuration', async () => {
  const { recorded, plan } = readDetectionInput(await copied(true));
  expect(recorded.filter(({ change }) => change === '').length).toBeGreaterThanOrEqual(6);
  expect(plan.suite).toBe('pr');
});

it('explains that there are no recorded rows', async () => {
  const files = await copied(false);
  const fault = await faultOf((async () => readDetectionInput(files))());
  expect(fault).toMatchObject({ code: 'E_ROWS_READ', kind: 'usage', place: join(files.folder, 'runs.csv') });
  expect(fault.cause).toContain('ENOENT');
});

it('names the row that is broken', async () => {
  const files = await copied(true);
  const path = join(files.folder, 'blocks.csv');
  const lines = readFileSync(path, 'utf8').split('\n');
  writeFileSync(path, lines.with(3, 'cut off').join('\n'));
  const fault = await faultOf((async () => readDetectionInput(files))());
  expect(fault).toMatchObject({ code: 'E_BLOCK_ROWS', place: `${path}:4` });
});
