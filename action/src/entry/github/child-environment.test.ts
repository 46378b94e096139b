import { expect, it } from 'vitest';
import { childEnvironment } from './child-environment.ts';

it('keeps what commands need, and nothing through which they could speak as the job', () => {
  const kept = { PATH: '/bin', HOME: '/root', CI: 'true', GITHUB_REPOSITORY: 'octo/shop', JAVA_HOME: '/jdk' };
  const dropped = [
    'INPUT_GITHUB-TOKEN',
    'STATE_perf-gate',
    'ACTIONS_RUNTIME_TOKEN',
    'ACTIONS_ID_TOKEN_REQUEST_TOKEN',
    'ACTIONS_RESULTS_URL',
    'GITHUB_TOKEN',
    'GITHUB_ENV',
    'GITHUB_PATH',
    'GITHUB_OUTPUT',
    'GITHUB_STATE',
    'GITHUB_STEP_SUMMARY',
  ];
  expect(childEnvironment({ ...kept, ...Object.fromEntries(dropped.map((name) => [name, 'x'])) })).toEqual(
    kept,
  );
});
