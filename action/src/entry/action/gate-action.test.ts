import { once } from 'node:events';
import { chmod, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { createFixture } from 'fs-fixture';
import { expect, it, onTestFinished, vi } from 'vitest';
import { parse } from 'yaml';
import { faultOf } from '../../../test/contract/fault-of.ts';
import { readGitHubJob } from '../github/github-event.ts';
import { readGateInputs } from '../github/inputs.ts';
import { StepAnnotations } from '../github/step-annotations.ts';
import { findK6 } from './find-k6.ts';
import { gateAction } from './gate-action.ts';

/** What is found where the PATH has a k6 of that version in a folder of its own, and the release page has none. */
async function find(version: string): Promise<string> {
  const fixture = await createFixture({
    'bin/k6': `#!/bin/sh\necho "k6 v${version} (go1.25.4, linux/amd64)"\n`,
    'empty/file': '',
  });
  const page = createServer((_, response) => response.writeHead(404).end());
  page.listen(0, '127.0.0.1');
  await once(page, 'listening');
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    page.close();
    await fixture.rm();
  });
  await chmod(fixture.getPath('bin/k6'), 0o755);
  for (const name of ['RUNNER_TEMP', 'RUNNER_TOOL_CACHE']) vi.stubEnv(name, fixture.getPath('empty'));
  const env = {
    PATH: ['empty', 'bin'].map((folder) => fixture.getPath(folder)).join(delimiter),
    PERF_GATE_K6_URL: `http://127.0.0.1:${(page.address() as AddressInfo).port}`,
  };
  const wanted = { 'k6-version': '2.2.0', 'k6-sha256': undefined };
  return findK6(wanted, env, new AbortController().signal);
}

it('takes the k6 of the PATH if it is the very version', async () => {
  expect(await find('2.2.0')).toBe('k6');
});

it('takes no other version', async () => {
  expect(await faultOf(find('2.1.0'))).toMatchObject({ code: 'E_K6_DOWNLOAD' });
});

it.each(['darwin', 'win32'])('says on %s before anything else that it needs Linux', async (platform) => {
  const { inputs } = parse(await readFile(join(import.meta.dirname, '../../../action.yml'), 'utf8')) as {
    readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  };
  const env = { GITHUB_REPOSITORY: 'octo/shop', GITHUB_EVENT_NAME: 'workflow_dispatch' };
  const ending = gateAction({
    inputs: readGateInputs((name) => inputs[name]?.default ?? ''),
    job: readGitHubJob(env, {}),
    env: { ...env, GITHUB_WORKSPACE: '/nowhere' },
    platform,
    annotations: new StepAnnotations(),
    signal: new AbortController().signal,
  });
  expect(await faultOf(ending)).toMatchObject({ code: 'E_PLATFORM', kind: 'usage', place: platform });
});
