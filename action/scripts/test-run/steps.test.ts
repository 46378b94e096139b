import { createFixture } from 'fs-fixture';
import { expect, it } from 'vitest';
import { step } from './steps.ts';

it('fails a step whose reports contain a failed test, even if its command exits with 0', async () => {
  await using reports = await createFixture({
    'junit.xml': '<testsuite name="a > b" tests="5" failures="1" errors="0" skipped="1"/>',
  });
  const place = { root: '/', cache: '/', scratch: '/', env: { PATH: process.env.PATH } };
  const job = step(place, { name: 'unit', lane: 'front', command: ['true'], reports: reports.path });
  const ending = await job.run(() => undefined, new AbortController().signal);
  expect(ending).toEqual({ kind: 'failed', counts: { passed: 3, failed: 1 } });
});
