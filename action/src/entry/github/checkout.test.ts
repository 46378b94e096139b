import { join } from 'node:path';
import { createFixture } from 'fs-fixture';
import { expect, it, onTestFinished } from 'vitest';
import { actionCheckout } from './checkout.ts';

it('is the one in the workspace that the configuration lies in, else the workspace', async () => {
  const fixture = await createFixture({
    // Such as the home of the runner's user, kept in git: what is above the workspace is no step's business.
    '.git/HEAD': '',
    'work/sub/.git/HEAD': '',
    'work/sub/perf/gate.yml': '',
    'work/tree/.git': 'gitdir: elsewhere',
    'work/tree/gate.yml': '',
    // As actions/checkout leaves it where there is no git.
    'work/loose/gate.yml': '',
    'top/.git/HEAD': '',
    'top/perf/gate.yml': '',
  });
  onTestFinished(() => fixture.rm());
  const at = (...parts: string[]) => join(fixture.path, ...parts);
  const found = (workspace: string, config: string) => {
    const { root, configFile, configPath } = actionCheckout({ GITHUB_WORKSPACE: workspace }, config);
    expect(configFile).toBe(join(root, configPath));
    return [root, configPath];
  };
  expect(found(at('work'), 'sub/perf/gate.yml')).toEqual([at('work/sub'), 'perf/gate.yml']);
  expect(found(at('work'), 'tree/gate.yml')).toEqual([at('work/tree'), 'gate.yml']);
  expect(found(at('work'), 'loose/gate.yml')).toEqual([at('work'), 'loose/gate.yml']);
  expect(found(at('work'), '../top/perf/gate.yml')).toEqual([at('work'), '../top/perf/gate.yml']);
  expect(found(at('top'), 'perf/gate.yml')).toEqual([at('top'), 'perf/gate.yml']);
  expect(found(at('top'), './perf/gate.yml')).toEqual([at('top'), 'perf/gate.yml']);
  expect(found(at('top'), at('top/perf/gate.yml'))).toEqual([at('top'), 'perf/gate.yml']);
});
