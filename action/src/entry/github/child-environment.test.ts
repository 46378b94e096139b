import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { childEnvironment } from './child-environment.ts';

const kept = {
  PATH: process.env.PATH,
  HOME: '/root',
  CI: 'true',
  GITHUB_REPOSITORY: 'octo/shop',
  JAVA_HOME: '/jdk',
  JAVA_HOME_21_X64: '/jdk21',
  LC_ALL: 'C.UTF-8',
  https_proxy: 'http://proxy.example:3128',
  DOCKER_HOST: 'unix:///run/docker.sock',
};
const runners = [
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
const secrets = [
  'SECRET',
  'GH_TOKEN',
  'NPM_TOKEN',
  'AWS_SECRET_ACCESS_KEY',
  'DOCKER_AUTH_CONFIG',
  'GIT_CONFIG_VALUE_0',
  'RUNNER_TRACKING_ID',
  'xPATH',
  'PATHx',
];
const env = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, `value-${name}`]));

it('children get what builds need, and nothing else that a workflow may hold', () => {
  expect(childEnvironment({ ...kept, ...env(runners), ...env(secrets) })).toEqual(kept);
});

it('a process that is started sees no secret', () => {
  const given = { ...kept, ...env(runners), ...env(secrets) };
  const { stdout } = spawnSync('env', { env: { ...childEnvironment(given) }, encoding: 'utf8' });
  expect(stdout).toContain('JAVA_HOME=/jdk\n');
  expect(stdout).not.toContain('value-');
});

it('gate.yml may name more, but none of the runner', () => {
  const named = ['SECRET', 'ABSENT', ...runners];
  expect(childEnvironment({ ...kept, ...env(runners), ...env(secrets) }, named)).toEqual({
    ...kept,
    SECRET: 'value-SECRET',
  });
});
