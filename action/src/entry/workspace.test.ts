import { mkdir, readdir, symlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createFixture } from 'fs-fixture';
import { describe, expect, it, onTestFinished } from 'vitest';
import { faultOf } from '../../test/contract/fault-of.ts';
import { lockCheckout, newRunId, openWorkspace, prepareResults } from './workspace.ts';

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

describe('a link where the gate writes', () => {
  it.each(['.perf-gate', '.perf-gate/results', '.perf-gate/work'])('is refused: %s', async (name) => {
    const fixture = await checkout({ '.gitignore': '' });
    const elsewhere = await checkout(
      Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`project-${index}/notes`, 'mine'])),
    );
    await mkdir(dirname(fixture.getPath(name)), { recursive: true });
    await symlink(elsewhere.path, fixture.getPath(name));
    const workspace = openWorkspace(fixture.path, 'run');
    const prepared = faultOf(
      (async () => {
        await lockCheckout(workspace);
        prepareResults(workspace);
      })(),
    );
    expect(await prepared).toMatchObject({
      code: 'E_RESULTS_LINK',
      place: fixture.getPath(name),
      nextStep: expect.stringContaining('remove the link'),
    });
    expect(await readdir(elsewhere.path)).toHaveLength(30);
  });
});

it('removes the oldest results, and nothing that is none', async () => {
  const ids = Array.from({ length: 25 }, (_, index) => `20260131-1012${10 + index}-aaaaaa`);
  const fixture = await checkout({
    ...Object.fromEntries(ids.map((id) => [`.perf-gate/results/${id}/run.json`, '{}'])),
    '.perf-gate/results/0-my-notes/keep': 'mine',
  });
  prepareResults(openWorkspace(fixture.path, newRunId(new Date())));
  const left = await readdir(fixture.getPath('.perf-gate/results'));
  expect(left).toHaveLength(21);
  expect(left).toContain('0-my-notes');
  expect(left).not.toContain(ids[5]);
});
