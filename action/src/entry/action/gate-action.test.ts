import { once } from 'node:events';
import { chmod, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { createFixture } from 'fs-fixture';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { parse } from 'yaml';
import { faultOf } from '../../../test/contract/fault-of.ts';
import { readGitHubJob } from '../github/github-event.ts';
import { readGateInputs } from '../github/inputs.ts';
import { StepAnnotations } from '../github/step-annotations.ts';
import { findK6 } from './find-k6.ts';
import { gateAction } from './gate-action.ts';

/** Address of a release page that has no k6. */
async function emptyPage(): Promise<string> {
  const page = createServer((_, response) => response.writeHead(404).end());
  page.listen(0, '127.0.0.1');
  await once(page, 'listening');
  onTestFinished(() => {
    page.close();
  });
  return `http://127.0.0.1:${(page.address() as AddressInfo).port}`;
}

/** What is found where the PATH has a k6 of that version in a folder of its own, and the release page has none. */
async function find(version: string): Promise<string> {
  const fixture = await createFixture({
    'bin/k6': `#!/bin/sh\necho "k6 v${version} (go1.25.4, linux/amd64)"\n`,
    'empty/file': '',
  });
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await fixture.rm();
  });
  await chmod(fixture.getPath('bin/k6'), 0o755);
  for (const name of ['RUNNER_TEMP', 'RUNNER_TOOL_CACHE']) vi.stubEnv(name, fixture.getPath('empty'));
  const env = {
    PATH: ['empty', 'bin'].map((folder) => fixture.getPath(folder)).join(delimiter),
    PERF_GATE_K6_URL: await emptyPage(),
  };
  const wanted = { 'k6-version': '2.2.0', checksum: undefined };
  return findK6(wanted, env, new AbortController().signal);
}

it('takes the k6 of the PATH if it is the very version', async () => {
  expect(await find('2.2.0')).toBe('k6');
});

it('takes no other version', async () => {
  expect(await faultOf(find('2.1.0'))).toMatchObject({ code: 'E_K6_DOWNLOAD' });
});

async function run(
  given: Readonly<Record<string, string>>,
  event: { readonly name: string; readonly payload: unknown },
  more: { readonly platform?: string; readonly env?: NodeJS.ProcessEnv },
): Promise<number> {
  const { inputs } = parse(await readFile(join(import.meta.dirname, '../../../action.yml'), 'utf8')) as {
    readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  };
  const env = { GITHUB_REPOSITORY: 'octo/shop', GITHUB_EVENT_NAME: event.name };
  return gateAction({
    inputs: readGateInputs((name) => given[name] ?? inputs[name]?.default ?? ''),
    job: readGitHubJob(env, event.payload),
    env: { ...env, GITHUB_WORKSPACE: '/nowhere', ...more.env },
    platform: more.platform ?? 'linux',
    annotations: new StepAnnotations(),
    signal: new AbortController().signal,
  });
}

const manual = { name: 'workflow_dispatch', payload: {} };

it.each(['darwin', 'win32'])('says on %s before anything else that it needs Linux', async (platform) => {
  expect(await faultOf(run({}, manual, { platform }))).toMatchObject({
    code: 'E_PLATFORM',
    kind: 'usage',
    place: platform,
  });
});

describe('the baseline in a file', () => {
  const sha = 'a'.repeat(40);
  const pullRequest = {
    name: 'pull_request',
    payload: {
      repository: { default_branch: 'main' },
      pull_request: {
        number: 7,
        head: { sha, repo: { full_name: 'octo/shop' } },
        base: { sha, ref: 'main' },
      },
    },
  };
  const inWorkspace = async (runner: string) => {
    const text = await readFile(join(import.meta.dirname, '../../../test/e2e/tiny/gate.yml'), 'utf8');
    const fixture = await createFixture({ 'gate.yml': text, state: '' });
    onTestFinished(async () => {
      vi.unstubAllEnvs();
      await fixture.rm();
    });
    for (const name of ['RUNNER_TEMP', 'RUNNER_TOOL_CACHE']) vi.stubEnv(name, fixture.path);
    vi.stubEnv('GITHUB_STATE', fixture.getPath('state'));
    const PERF_GATE_K6_URL = await emptyPage();
    return { env: { GITHUB_WORKSPACE: fixture.path, RUNNER_ENVIRONMENT: runner, PERF_GATE_K6_URL } };
  };
  const given = {
    config: 'gate.yml',
    'baseline-store': 'file',
    'k6-version': '0.0.1',
    checksum: 'a'.repeat(64),
  };

  it('judges no pull request on a runner that is kept', async () => {
    const ending = run(given, pullRequest, await inWorkspace('self-hosted'));
    expect(await faultOf(ending)).toMatchObject({ code: 'E_BASELINE_KEPT_FILE', kind: 'usage' });
  });

  it.each([
    ['on a runner of GitHub', given, pullRequest, 'github-hosted'],
    ['for a run by hand', given, manual, 'self-hosted'],
    ['side by side', { ...given, compare: 'side-by-side' }, pullRequest, 'self-hosted'],
  ] as const)('is accepted %s', async (_, inputs, event, runner) => {
    const ending = run(inputs, event, await inWorkspace(runner));
    // It gets as far as looking for k6.
    expect(await faultOf(ending)).toMatchObject({ code: 'E_K6_DOWNLOAD' });
  });
});
