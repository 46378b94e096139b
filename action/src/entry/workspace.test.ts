import { createFixture } from 'fs-fixture';
import { expect, it, onTestFinished } from 'vitest';
import { faultOf } from '../../test/contract/fault-of.ts';
import { lockCheckout, openWorkspace, prepareResults } from './workspace.ts';

async function checkout(files: Record<string, string>) {
  const fixture = await createFixture(files);
  onTestFinished(() => fixture.rm());
  return fixture;
}

const asFault = {
  code: 'E_RESULTS_WRITE',
  kind: 'measurement',
  nextStep: expect.stringContaining('no file'),
};

it('says that a file stands where the folder of the gate should', async () => {
  const fixture = await checkout({ '.perf-gate': '' });
  expect(await faultOf(lockCheckout(openWorkspace(fixture.path, 'run')))).toMatchObject({
    ...asFault,
    place: fixture.getPath('.perf-gate'),
    cause: expect.stringContaining('EEXIST'),
  });
});

it('says that a file stands where the folder of the results should', async () => {
  const fixture = await checkout({ '.perf-gate/results': '' });
  const workspace = openWorkspace(fixture.path, 'run');
  expect(await faultOf((async () => prepareResults(workspace))())).toMatchObject({
    ...asFault,
    place: expect.stringContaining(fixture.getPath('.perf-gate/results')),
    cause: expect.stringContaining('ENOTDIR'),
  });
});

it('refuses a checkout that another check holds, and gives it back', async () => {
  const fixture = await checkout({});
  const workspace = openWorkspace(fixture.path, 'run');
  const release = await lockCheckout(workspace);
  expect(await faultOf(lockCheckout(workspace))).toMatchObject({
    code: 'E_BUSY',
    place: fixture.getPath('.perf-gate/lock'),
    cause: expect.stringContaining(`process ${process.pid}`),
  });
  await release();
  await (await lockCheckout(workspace))();
});
