import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createFixture } from 'fs-fixture';
import { expect, it } from 'vitest';
import { blockSeries } from '../../../test/golden/example-series.ts';
import { appendSeries, readSeries, seriesFileName } from './series-file.ts';

it('keeps what was appended, and nothing where nothing was', async () => {
  await using folder = await createFixture();
  expect(await readSeries(folder.path)).toEqual([]);
  const series = [blockSeries({ round: 0 }), blockSeries({ round: 1 })];
  for (const one of series) await appendSeries(folder.path, one);
  expect(await readSeries(folder.path)).toEqual(series);
});

it('reads every whole line of a file that was cut off at any byte', async () => {
  await using folder = await createFixture();
  const file = join(folder.path, seriesFileName);
  await appendSeries(folder.path, blockSeries({ round: 0 }));
  const first = (await readFile(file)).length;
  await appendSeries(folder.path, blockSeries({ round: 1 }));
  const bytes = await readFile(file);
  for (let length = 0; length < bytes.length; length++) {
    await writeFile(file, bytes.subarray(0, length));
    const read = await readSeries(folder.path);
    expect(read.length, `${length} bytes`).toBeLessThanOrEqual(2);
    if (length >= first) expect(read[0], `${length} bytes`).toEqual(blockSeries({ round: 0 }));
  }
});

it.each([
  ['not gzip', Buffer.from('{}\n'), /header/],
  ['not JSON', gzipSync('{"phase":\n'), /:1$/],
  ['another shape', gzipSync(`${JSON.stringify({ ...blockSeries({}), schema: 9 })}\n`), /:1$/],
])('names a file that is %s', async (_, bytes, where) => {
  await using folder = await createFixture();
  await writeFile(join(folder.path, seriesFileName), bytes);
  const { details } = await readSeries(folder.path).catch((error) => error);
  expect(details).toMatchObject({ code: 'E_SERIES_CORRUPT' });
  expect(`${details.cause} ${details.place}`).toMatch(where);
});
