import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { projectName } from '../../src/adapters/compose/project.ts';
import { type Run, runSchema } from '../../src/model/run.ts';
import { docker, lackOfEngine, nodeImage, remains } from './compose-engine.ts';
import { processesMentioning, type RunningGate, TinyProject } from './gate.ts';

const lacking = lackOfEngine();
const check = ['check', '--config', 'gate.yml', '--stack', 'compose', '--compare', 'none'];

/** What is printed once a phase has begun: the end of the one before. */
const begun = {
  build: /✓ scenarios/,
  data: /✓ build/,
  boot: /✓ data/,
  'warm-up': /✓ boot/,
  load: /✓ warm-up/,
  stop: /✓ load/,
} as const;

let project: TinyProject;

beforeEach(async () => {
  project = await TinyProject.create('tiny-compose');
});

afterEach(async () => {
  // Whatever a test did, nothing may be left running that knows this folder.
  expect(await processesMentioning(project.fixture.path)).toEqual([]);
  await project.fixture.rm();
});

function start(env: Record<string, string> = {}, args = check, of = project): RunningGate {
  return of.start(args, { TINY_IMAGE: nodeImage(), ...env });
}

function nameOf(of = project): string {
  return projectName(of.fixture.path);
}

/** Id of the project's container of that service. */
function containerOf(service: string): string {
  const [id = ''] = docker(
    ...['ps', '-q', '--filter', `label=com.docker.compose.project=${nameOf()}`],
    ...['--filter', `label=com.docker.compose.service=${service}`],
  );
  return id;
}

async function newestResults(): Promise<string> {
  const results = join(project.fixture.path, '.perf-gate/results');
  return join(results, (await readdir(results)).sort().at(-1) ?? '');
}

async function newestRun(): Promise<Run> {
  return runSchema.parse(JSON.parse(await readFile(join(await newestResults(), 'run.json'), 'utf8')));
}

/** A program called `docker` before any other on the PATH; `body` is shell. */
async function fakeDocker(body: string, name = 'docker'): Promise<string> {
  const folder = join(project.fixture.path, 'bin');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  return `${folder}:/usr/bin:/bin`;
}

describe('without an engine that can be used', () => {
  it.each([
    ['Docker is not installed', undefined, undefined, 'E_ENGINE_MISSING', 2],
    [
      'the user may not use it',
      'echo "permission denied while trying to connect to the Docker daemon socket" >&2; exit 1',
      undefined,
      'E_ENGINE_DOWN',
      3,
    ],
    [
      'Compose is missing',
      'case $1 in compose) echo "docker: \'compose\' is not a docker command." >&2; exit 1;; esac; echo 24.0',
      undefined,
      'E_COMPOSE_MISSING',
      2,
    ],
    [
      'only Compose v1 is there',
      'case $1 in compose) exit 1;; esac; echo 24.0',
      'echo 1.29.2',
      'E_COMPOSE_OLD',
      2,
    ],
    [
      'Compose v2 is too old',
      'case $1 in compose) echo v2.24.5;; *) echo 24.0;; esac',
      undefined,
      'E_COMPOSE_OLD',
      2,
    ],
  ])('%s', async (_, client, composeOne, errorCode, exitCode) => {
    let path = join(project.fixture.path, 'nothing');
    if (client !== undefined) path = await fakeDocker(client);
    if (composeOne !== undefined) await fakeDocker(composeOne, 'docker-compose');
    const { code, stderr } = await project.run(check, { PATH: path });
    expect(stderr).toContain(`error[${errorCode}]`);
    expect(stderr).toContain('next:');
    expect(code).toBe(exitCode);
  });
});

describe('which stack is run', () => {
  it('is said, unless it was asked for', async () => {
    await project.edit(/ {2}process:.*?(?= {2}compose:)/s, '');
    const path = join(project.fixture.path, 'nothing');
    const onlyOne = await project.run(['check', '--config', 'gate.yml'], { PATH: path });
    expect(onlyOne.stderr).toContain('stack: compose, the only one that is configured');
    const onCi = await project.run(['check', '--config', 'gate.yml'], { PATH: path, CI: '1' });
    expect(onCi.stderr).toContain('stack: compose, the default on CI');
  });

  it('has to be configured if it is asked for', async () => {
    await project.edit(/ {2}process:.*?(?= {2}compose:)/s, '');
    const { code, stderr } = await project.run(['check', '--config', 'gate.yml', '--stack', 'process']);
    expect(stderr).toContain('E_STACK_UNKNOWN');
    expect(code).toBe(2);
  });
});

describe.skipIf(lacking !== undefined)('the compose stack', () => {
  afterEach(() => {
    expect(remains(nameOf())).toEqual([]);
  });

  it('gives results of the same shape as the process stack, and a fingerprint that differs', async () => {
    const compose = await start().done;
    expect(compose.code, compose.stderr).toBe(0);
    const ofCompose = await newestRun();
    const log = await readFile(join(await newestResults(), 'compose.log'), 'utf8');
    const process = await project.run([
      'check',
      '--config',
      'gate.yml',
      '--stack',
      'process',
      '--compare',
      'none',
    ]);
    expect(process.code, process.stderr).toBe(0);
    const ofProcess = await newestRun();

    expect(ofCompose.fingerprint).toEqual({
      ...ofProcess.fingerprint,
      stack: 'compose',
      versions: { db: nodeImage(), database: 'Tiny 1.0' },
      dataKey: 'k1',
    });
    const [ofOne, ofOther] = [ofCompose, ofProcess].map(({ cells }) =>
      cells.map(({ blocks, ...cell }) => ({
        ...cell,
        blocks: blocks.map(({ endpoints, usage, signals, invalid }) => ({
          endpoints: endpoints.map(({ name }) => name),
          roles: Object.keys(usage),
          signals: Object.keys(signals),
          invalid,
        })),
      })),
    );
    expect(ofOne).toEqual(ofOther);
    for (const { usage } of ofCompose.cells.flatMap(({ blocks }) => blocks)) {
      // The service works, the database is only asked for its health; Node needs 10 MiB at least.
      expect(usage.service?.cpuShare).toBeGreaterThan(0.001);
      expect(usage.service?.rssBytes).toBeGreaterThan(10 * 2 ** 20);
      expect(usage.service?.rssBytes).toBeLessThan(160 * 2 ** 20);
      expect(usage.backing?.rssBytes).toBeGreaterThan(10 * 2 ** 20);
    }
    expect(ofCompose.phases).toContainEqual({ phase: 'data: restore', seconds: 0.12 });
    expect(log).toContain('db: login with ***');
    expect(log).toContain('==> data');
  });

  it('builds images, and says why data was rebuilt', async () => {
    await project.write('Dockerfile', `FROM ${nodeImage()}\nCOPY tiny.mjs /srv/built.mjs\n`);
    await project.edit(
      '    command: [node, /srv/tiny.mjs, app]',
      '    build: .\n    command: [node, /srv/built.mjs, app]',
      'compose.yml',
    );
    await project.edit(/(app:\n {4}<<: \*common\n)/, '$1    image: perf-gate-test/built:1\n', 'compose.yml');
    await project.edit('    service: app', '    buildImages: true\n    service: app');
    const { code, stderr } = await start({ TINY_FAULT: 'data-rebuilt' }).done;
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('data: data was rebuilt: its checksum was wrong');
    expect(stderr).toContain(`perf-gate-test/built:1 is built as ${nameOf()}-app`);
    docker('rmi', `${nameOf()}-app`);
  });

  it('runs in two checkouts at once', async () => {
    const other = await TinyProject.create('tiny-compose');
    try {
      const both = await Promise.all([start().done, start({}, check, other).done]);
      expect(both.map(({ code, stderr }) => (code === 0 ? 'ok' : stderr))).toEqual(['ok', 'ok']);
      expect(remains(nameOf(other))).toEqual([]);
    } finally {
      await other.fixture.rm();
    }
  });

  it('measures though a port of its file is taken', async () => {
    const server = createServer();
    const port = await new Promise<number>((resolve) =>
      server.listen(0, '127.0.0.1', () => {
        const address = server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      }),
    );
    try {
      await project.edit('127.0.0.1::8080', `127.0.0.1:${port}:8080`, 'compose.yml');
      const { code, stderr } = await start().done;
      expect(code, stderr).toBe(0);
      expect(stderr).toContain(`app is published on a free port instead of ${port}\n`);
      expect((await newestRun()).cells).toHaveLength(2);
    } finally {
      server.close();
    }
  });

  describe('names the service that failed while starting, and how', () => {
    it.each([
      [
        'service exits at boot',
        'app-exit',
        'E_STACK_CRASH',
        ['service app', 'exit code 7', 'Caused by: no such table'],
      ],
      [
        'service exits at boot, with JSON for a log',
        'app-exit-json',
        'E_STACK_CRASH',
        ['service app', 'exit code 7', 'ECONNREFUSED'],
      ],
      [
        'a backing service exits',
        'db-exit',
        'E_STACK_CRASH',
        ['service db', 'exit code 4', 'of another version'],
      ],
      ['unhealthy for ever', 'db-unhealthy', 'E_STACK_UNHEALTHY', ['service db', 'health answers 500']],
      ['OOM at boot', 'app-oom', 'E_STACK_OOM', ['service app', 'limit of 160 MiB']],
      [
        'a step fails and says why',
        'data-exit',
        'SNAPSHOT_UNUSABLE',
        ['service data', 'k1.tar.zst: it does not begin with a manifest', 'remove the file'],
      ],
      ['a step fills its disk and says nothing', 'data-disk-full', 'E_DISK_FULL', ['service data']],
    ])('%s', async (_, fault, errorCode, texts) => {
      const { code, stderr } = await start({ TINY_FAULT: fault }).done;
      expect(stderr).toContain(`error[${errorCode}]`);
      for (const text of texts) expect(stderr).toContain(text);
      expect(stderr).not.toMatch(/login with [^*]|opened with [^*]/);
      expect(code).toBe(3);
    });

    it.each([
      ['service exits at boot', 'app-exit', 'E_STACK_CRASH', 'with exit code 7'],
      ['OOM at boot', 'app-oom', 'E_STACK_OOM', 'limit of 160 MiB'],
    ])('%s, and is started again', async (_, fault, errorCode, text) => {
      await project.edit('    mem_limit: 160m', '    restart: always\n    mem_limit: 160m', 'compose.yml');
      const { code, stderr } = await start({ TINY_FAULT: fault }).done;
      expect(stderr).toContain(`error[${errorCode}] service app`);
      expect(stderr).toContain(text);
      expect(code).toBe(3);
    });

    it('a service that never becomes ready', async () => {
      await project.edit('path: /ready, within: 60s', 'path: /ready, within: 8s');
      const { code, stderr } = await start({ TINY_FAULT: 'app-never-ready' }).done;
      expect(stderr).toContain('error[E_STACK_TIMEOUT] service app');
      expect(code).toBe(3);
    });

    it('a step that never ends', async () => {
      await project.edit('upWithin: 2m', 'upWithin: 60s');
      const { code, stderr } = await start({ TINY_FAULT: 'data-hang' }).done;
      expect(stderr).toMatch(/error\[E_STACK_TIMEOUT\].*60 s: .*data \(running\)/s);
      expect(code).toBe(3);
    });

    it('the engine does not run', async () => {
      const { code, stderr } = await start({ DOCKER_HOST: 'unix:///nonexistent/docker.sock' }).done;
      expect(stderr).toContain('error[E_ENGINE_DOWN]');
      expect(code).toBe(3);
    });

    it('an image that is nowhere', async () => {
      const { code, stderr } = await start({ TINY_IMAGE: 'registry.invalid/absent:1' }).done;
      expect(stderr).toContain('error[E_IMAGE_MISSING] registry.invalid/absent:1');
      expect(code).toBe(3);
    });
  });

  describe('refuses a configuration that cannot work, with exit code 2', () => {
    it.each([
      ['a service that is not there', 'service: app', 'service: shop', 'E_COMPOSE_SERVICE'],
      ['a port that is not published', 'port: 8080\n', 'port: 8081\n', 'E_COMPOSE_PORT'],
      ['a variable without a value', 'secrets: [DB_PASSWORD]', 'secrets: []', 'E_COMPOSE_FILE'],
      ['a compose file that is not there', 'compose.yml', 'absent.yml', 'E_COMPOSE_FILE'],
    ])('%s', async (_, from, to, errorCode) => {
      await project.edit(from, to);
      const { code, stderr } = await start().done;
      expect(stderr).toContain(`error[${errorCode}]`);
      expect(code).toBe(2);
    });
  });

  describe('finds what happens under load, and does not measure on', () => {
    it.each([
      [
        'OOM under load',
        'app-oom-load',
        'E_STACK_OOM',
        'app under load: it needed more than its limit of 160 MiB',
      ],
      [
        'service exits under load',
        'app-exit-load',
        'E_SERVICE_DIED',
        'app ended under load, with exit code 9',
      ],
    ])('%s', async (_, fault, errorCode, text) => {
      const { code, stderr } = await start({ TINY_FAULT: fault }).done;
      expect(stderr).toContain(`error[${errorCode}] service app`);
      expect(stderr).toContain(text);
      expect(code).toBe(3);
    });

    it('service restarted under load', async () => {
      await project.edit('    mem_limit: 160m', '    restart: always\n    mem_limit: 160m', 'compose.yml');
      const { code, stderr } = await start({ TINY_FAULT: 'app-exit-load' }).done;
      expect(stderr).toContain('error[E_SERVICE_DIED] service app');
      expect(code).toBe(3);
    });

    it('database killed under load', async () => {
      const gate = start();
      await gate.printed(begun.load);
      docker('kill', containerOf('db'));
      const { code, stderr } = await gate.done;
      expect(stderr).toContain('error[E_SERVICE_DIED] service db');
      expect(stderr).toContain('exit code 137 (SIGKILL)');
      expect(code).toBe(3);
    });
  });

  describe('leaves nothing behind', () => {
    /** Waits until there is something to remove, unless the check ends before. */
    async function containersOf(gate: ReturnType<typeof start>): Promise<void> {
      const name = nameOf();
      const there = expect.poll(() => remains(name)).not.toEqual([]);
      await Promise.race([there, gate.done.then(({ stderr }) => expect.fail(`it ended: ${stderr}`))]);
    }

    it.each([
      ['build', '', false],
      ['data', '', false],
      ['data', 'data-hang', true],
      ['boot', 'app-never-ready', true],
      ['warm-up', '', true],
      ['load', '', true],
      // Then there may be none any more.
      ['stop', '', false],
    ] as const)('after Ctrl-C in the phase %s %s', async (phase, fault, withContainers) => {
      const gate = start({ TINY_FAULT: fault });
      await gate.printed(begun[phase]);
      if (withContainers) await containersOf(gate);
      gate.process.kill('SIGINT');
      const { code, stderr } = await gate.done;
      // Once everything is measured, the rest of the work is shorter than giving it up.
      expect(phase === 'stop' ? [0, 130] : [130], stderr).toContain(code);
    });

    it.each([
      ['data', 'data-hang'],
      ['load', ''],
    ] as const)(
      'of a check killed in the phase %s: the next one removes it and says so',
      async (phase, fault) => {
        const gate = start({ TINY_FAULT: fault });
        await gate.printed(begun[phase]);
        await containersOf(gate);
        gate.process.kill('SIGKILL');
        await gate.done;
        expect(remains(nameOf())).not.toEqual([]);
        const next = await start().done;
        // It may have been killed before there was more than a network.
        expect(next.stderr).toMatch(/removing what an earlier check left: \d+ (?:container|volume|network)/);
        expect(next.code, next.stderr).toBe(0);
      },
    );

    it('of the base side of a check that was killed: the next one, without a base, removes it and says so', async () => {
      await project.write('.gitignore', '.perf-gate/\ncache/\n');
      const git = (...args: string[]) => execFileSync('git', args, { cwd: project.fixture.path });
      const someone = ['-c', 'user.name=Someone', '-c', 'user.email=someone@example.org'];
      git('init', '-q', '-b', 'main');
      git('add', '-A');
      git(...someone, 'commit', '-qm', 'base');
      await project.edit('app: out of seats', 'app: no seats left', 'tiny.mjs');
      const gate = start({}, [...check.slice(0, -1), 'side-by-side']);
      await gate.printed(/✓ base: boot/);
      const bases = join(project.fixture.path, '.perf-gate/bases');
      const [base = ''] = await readdir(bases);
      const ofBase = projectName(join(bases, base));
      gate.process.kill('SIGKILL');
      await gate.done;
      expect(remains(ofBase)).toContain(`container ${ofBase}-app-1`);
      const next = start();
      await next.printed(
        new RegExp(`ended what an earlier check left running: 3 containers, .* of ${ofBase}\n`),
      );
      expect(remains(ofBase)).toEqual([]);
      next.process.kill('SIGINT');
      expect((await next.done).code).toBe(130);
    });
  });
});
