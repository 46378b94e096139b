import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadConfig } from '../config/file.ts';
import { Leftovers } from '../host/leftovers.ts';
import { createSystemClock } from '../host/system-clock.ts';
import { readComposeFile } from './compose-file.ts';
import { DockerCli, type DockerResult, type FollowedCommand } from './docker.ts';
import { ComposeRun } from './run.ts';

const never = new AbortController().signal;

/** An engine that runs one container of the service on the network of this machine, where ports are not published. */
class EngineWithHostNetwork extends DockerCli {
  readonly #answers: Readonly<Record<string, string>> = {
    ps: 'one\n',
    inspect: JSON.stringify([
      {
        Id: 'one',
        State: {
          Status: 'running',
          OOMKilled: false,
          Pid: 1,
          ExitCode: 0,
          StartedAt: '2026-01-01T00:00:00Z',
          FinishedAt: '0001-01-01T00:00:00Z',
        },
        Config: { Image: 'app', Labels: { 'com.docker.compose.service': 'app' } },
        HostConfig: {},
        NetworkSettings: { Networks: { host: {} }, Ports: {} },
      },
    ]),
    compose: JSON.stringify({ services: { app: { network_mode: 'host' } } }),
  };

  constructor() {
    super({}, new Leftovers('/nonexistent'));
  }

  override async run([command = '']: readonly string[]): Promise<DockerResult> {
    return { code: 0, stdout: this.#answers[command] ?? '', stderr: '', timedOut: false };
  }

  override follow(): FollowedCommand {
    return { stop: () => undefined, ended: new Promise(() => undefined) };
  }
}

it('says that a service on the network of this machine publishes no port, instead of waiting for it', async () => {
  const docker = new EngineWithHostNetwork();
  const { config } = loadConfig(join(import.meta.dirname, '../../../test/e2e/tiny-compose/gate.yml'));
  if (config.stack.compose === undefined) throw new Error('it is configured');
  const run = new ComposeRun({
    config: { ...config.stack.compose, ready: { ...config.stack.compose.ready, within: 0 } },
    docker,
    project: 'shop',
    file: await readComposeFile(docker, 'shop', 'compose.yml', never),
    files: ['compose.yml'],
    clock: createSystemClock(),
    note: () => undefined,
  });
  try {
    await expect(run.boot(never)).rejects.toMatchObject({
      details: { code: 'E_COMPOSE_PORT', place: 'service app' },
    });
  } finally {
    run.close();
  }
});
