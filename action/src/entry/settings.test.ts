import { join } from 'node:path';
import { createFixture } from 'fs-fixture';
import { expect, it, onTestFinished } from 'vitest';
import { readSettings, settingsFor } from './settings.ts';

it('keeps results with the checkout that the configuration lies in, wherever the gate and the caller are', async () => {
  const fixture = await createFixture({
    'shop/.git/HEAD': '',
    'shop/perf/gate.yml': '',
    // A work tree, or a submodule, has a file there.
    'tree/.git': 'gitdir: elsewhere',
    'gate/perf/gate.yml': '',
    'loose/gate.yml': '',
  });
  onTestFinished(() => fixture.rm());
  const at = (...parts: string[]) => join(fixture.path, ...parts);
  const settings = readSettings({ GATE_ROOT: at('gate') }, at('loose'));
  const rootFor = (folder: string) => settingsFor(at(folder), settings).root;
  expect(rootFor('shop/perf')).toBe(at('shop'));
  expect(rootFor('tree')).toBe(at('tree'));
  expect(rootFor('gate/perf')).toBe(at('gate'));
  expect(rootFor('gate')).toBe(at('gate'));
  expect(rootFor('loose')).toBe(at('loose'));
});

it.each([
  [{}, false],
  [{ CI: '' }, false],
  [{ CI: 'false' }, false],
  [{ CI: 'False', GITHUB_ACTIONS: 'true' }, false],
  [{ CI: '0' }, false],
  [{ CI: 'true' }, true],
  [{ CI: 'TRUE' }, true],
  [{ CI: '1' }, true],
  [{ CI: 'woodpecker' }, true],
  [{ GITHUB_ACTIONS: 'true' }, true],
])('takes %j for CI: %s', (env, ci) => {
  expect(readSettings(env, '/').ci).toBe(ci);
});

it('knows where its own launcher lies', () => {
  expect(readSettings({}, '/').gateDirectory).toBe(join(import.meta.dirname, '../../..'));
});
