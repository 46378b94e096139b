import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createFixture, type FsFixture } from 'fs-fixture';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readComposeFile } from '../../src/adapters/compose/compose-file.ts';
import { readContainers, readLog } from '../../src/adapters/compose/containers.ts';
import { DockerCli } from '../../src/adapters/compose/docker.ts';
import { checkEngine } from '../../src/adapters/compose/engine.ts';
import { type ContainerEvent, ContainerEvents } from '../../src/adapters/compose/events.ts';
import { projectName, remainsOf, removeProject } from '../../src/adapters/compose/project.ts';
import { createComposeStack } from '../../src/adapters/compose/stack.ts';
import { loadConfig } from '../../src/adapters/config/file.ts';
import { Leftovers } from '../../src/adapters/host/leftovers.ts';
import { createSystemClock } from '../../src/adapters/host/system-clock.ts';
import { createK6 } from '../../src/adapters/k6/generator.ts';
import { CgroupReader } from '../../src/adapters/machine/cgroup.ts';
import { allowedCpus, type CpuSets } from '../../src/adapters/machine/cpu-sets.ts';
import type { Stack } from '../../src/measure/ports.ts';
import type { ComposeStackConfig } from '../../src/model/config.ts';
import { docker, lackOfEngine, nodeImage, remains } from '../e2e/compose-engine.ts';

const never = new AbortController().signal;

describe.skipIf(lackOfEngine() !== undefined)('the engine, as the adapter reads it', () => {
  let fixture: FsFixture;
  let client: DockerCli;
  let project: string;

  /** Busy for 300 ms of CPU, then idle with 64 MiB. */
  const work =
    'const held=Buffer.alloc(64*2**20,1);while(process.cpuUsage().user<3e5);console.log("out");console.error("err");console.log("last "+held.length);setInterval(()=>0,1e3)';

  beforeAll(async () => {
    fixture = await createFixture({
      'compose.yml': [
        'services:',
        `  work: { image: "${nodeImage()}", command: [node, -e, ${JSON.stringify(work)}], mem_limit: 256m,`,
        '    environment: { A_TOKEN: "a$$b" }, ports: ["127.0.0.1::80", "127.0.0.1::53/udp"], volumes: ["kept:/data"] }',
        `  once: { image: "${nodeImage()}", command: [node, -e, "process.exit(0)"] }`,
        `  after: { image: "${nodeImage()}", command: [node, -e, "process.exit(3)"], depends_on: { once: { condition: service_completed_successfully } } }`,
        '  made: { image: "made:1", build: ., profiles: [never] }',
        '  spare: { image: "spare:1", build: ., scale: 0 }',
        '  idle: { image: "spare:1", deploy: { replicas: 0 } }',
        'volumes: { kept: {} }',
      ].join('\n'),
    });
    project = projectName(fixture.path);
    client = new DockerCli(process.env, new Leftovers(join(fixture.path, 'commands.json')));
  });

  afterAll(async () => {
    await removeProject(client, project, 1);
    await fixture.rm();
  });

  it('answers, with a recent Compose', async () => {
    expect(await checkEngine(client, never)).toEqual({
      hasBuildx: spawnSync('docker', ['buildx', 'version']).status === 0,
    });
  });

  it('reads the file as Compose does', async () => {
    const file = await readComposeFile(client, project, join(fixture.path, 'compose.yml'), never);
    expect(file.services.toSorted()).toEqual(['after', 'once', 'work']);
    expect([...file.oneShot]).toEqual(['once']);
    expect(file.config.services.work?.ports?.map(({ target }) => target)).toEqual([80, 53]);
    expect(file.environments).toContainEqual({ A_TOKEN: 'a$b' });
  });

  it('reports events, also those before the stream opened', async () => {
    const since = Date.now();
    const file = join(fixture.path, 'compose.yml');
    // Compose would build an image for services without replicas too.
    const services = ['work', 'once', 'after'];
    const up = await client.run(['compose', '-p', project, '-f', file, 'up', '-d', ...services], {
      within: 60,
    });
    expect(up.code, up.stderr).toBe(0);
    const seen: ContainerEvent[] = [];
    const ended = Promise.withResolvers<void>();
    const events = new ContainerEvents(client, project, since, {
      onEvent: (event) => {
        seen.push(event);
        if (seen.filter(({ kind }) => kind === 'end').length === 2) ended.resolve();
      },
      onLost: ended.reject,
    });
    await ended.promise;
    events.close();
    const ends = seen
      .filter(({ kind }) => kind === 'end')
      .map(({ service, exitCode }) => [service, exitCode]);
    expect(ends).toEqual([
      ['once', 0],
      ['after', 3],
    ]);
  });

  it('reports states, addresses and logs in order', async () => {
    const containers = await readContainers(client, project);
    const work = containers.find(({ service }) => service === 'work');
    expect(work).toMatchObject({
      status: 'running',
      memoryLimit: 256 * 2 ** 20,
      restarts: 0,
      outOfMemory: false,
    });
    expect([...(work?.published.keys() ?? [])]).toEqual([80]);
    expect(work?.published.get(80)).toMatch(/^127\.0\.0\.1:\d+$/);
    await expect.poll(() => readLog(client, work?.id ?? '', 10)).toHaveLength(3);
    const lines = await readLog(client, work?.id ?? '', 10);
    // A busy engine may read one stream before the other.
    expect(lines.filter((line) => line !== 'err')).toEqual(['out', 'last 67108864']);
    expect(lines).toContain('err');
    expect(containers.find(({ service }) => service === 'after')).toMatchObject({
      status: 'exited',
      exitCode: 3,
    });
  });

  const worker = () => {
    const [text = ''] = docker('inspect', '--format', '{{.Id}} {{.State.Pid}}', `${project}-work-1`);
    const [id = '', pid = ''] = text.split(' ');
    return { id, pid: Number(pid) };
  };

  it('finds no control group for a process of another machine with the same pid', () => {
    const elsewhere = { id: 'f'.repeat(64), pid: process.pid };
    expect(CgroupReader.ofContainer(elsewhere)).toBeUndefined();
    expect(CgroupReader.ofContainer({ ...worker(), pid: process.pid })).toBeUndefined();
  });

  it('has control groups with the CPU and memory of a container', async () => {
    const reading = CgroupReader.ofContainer(worker())?.read();
    expect(reading?.cpuSeconds).toBeGreaterThan(0.3);
    expect(reading?.cpuSeconds).toBeLessThan(10);
    expect(reading?.rssBytes).toBeGreaterThan(64 * 2 ** 20);
    expect(reading?.rssBytes).toBeLessThan(256 * 2 ** 20);
  });

  it('keeps the last reading of a container that has ended', async () => {
    const container = worker();
    const reader = CgroupReader.ofContainer(container);
    const before = reader?.read();
    docker('kill', `${project}-work-1`);
    await expect.poll(() => CgroupReader.ofContainer(container)).toBeUndefined();
    expect(reader?.read().cpuSeconds).toBeGreaterThanOrEqual(before?.cpuSeconds ?? Number.NaN);
  });

  it('removes everything of a project by its name', async () => {
    expect(await remainsOf(client, project)).toBe('3 containers, 1 volume, 1 network');
    await removeProject(client, project, 1);
    expect(await remainsOf(client, project)).toBe('');
  });

  it('ends a command on a timeout and on an abort', async () => {
    expect(await client.run(['events'], { within: 0.2 })).toMatchObject({ timedOut: true });
    const abort = new AbortController();
    const running = client.run(['events'], { signal: abort.signal });
    abort.abort(new Error('asked to'));
    await expect(running).rejects.toThrow('asked to');
  });
});

/** Creates the stack of a checkout of the tiny service, which adds its notes to `notes`. */
function stackOf(
  fixture: FsFixture,
  notes: string[],
  more: {
    config?: Partial<ComposeStackConfig>;
    env?: Readonly<Record<string, string>>;
    cpuSets?: CpuSets;
  } = {},
): Stack {
  const { config } = loadConfig(fixture.getPath('gate.yml'));
  if (config.stack.compose === undefined) throw new Error('it is configured');
  return createComposeStack({
    profiles: [],
    config: { ...config.stack.compose, ...more.config },
    file: fixture.getPath('compose.yml'),
    root: fixture.path,
    checkout: fixture.path,
    cacheDirectory: fixture.getPath('cache'),
    workDirectory: fixture.getPath('work'),
    logDirectory: fixture.getPath('logs'),
    env: { ...process.env, TINY_IMAGE: nodeImage(), ...more.env },
    cpuSets: more.cpuSets,
    clock: createSystemClock(),
    note: (text) => notes.push(text),
  });
}

async function editCompose(fixture: FsFixture, from: string, to: string): Promise<void> {
  const path = fixture.getPath('compose.yml');
  const text = await readFile(path, 'utf8');
  if (!text.includes(from)) throw new Error(`compose.yml does not hold ${from}`);
  await writeFile(path, text.replace(from, to));
}

/** Removes what the stack's own `down()` has left. */
/** Over a connection of its own: the server closes an idle one while this process waits for docker, and cannot notice. */
async function textAt(url: string): Promise<string> {
  return (await fetch(url, { headers: { connection: 'close' } })).text();
}

async function removeStack(fixture: FsFixture): Promise<void> {
  const client = new DockerCli(process.env, new Leftovers(fixture.getPath('commands.json')));
  await removeProject(client, projectName(fixture.path), 0);
}

const tinyCompose = join(import.meta.dirname, '../e2e/tiny-compose');

describe.skipIf(lackOfEngine() !== undefined)('a stack', () => {
  it('boots the service repeatedly and keeps its backing services running', async () => {
    await using fixture = await createFixture(tinyCompose);
    const notes: string[] = [];
    const stack = stackOf(fixture, notes);
    const lives = () =>
      docker(
        ...['ps', '-a', '--filter', `label=com.docker.compose.project=${projectName(fixture.path)}`],
        ...['--format', '{{.Names}} {{.ID}}'],
      ).toSorted();
    try {
      await stack.prepare(never);
      expect(await stack.up(never)).toEqual({ restore: 0.12 });
      const first = await stack.boot(never);
      await expect(first.verify?.()).resolves.toBeUndefined();
      const [firstApp, ...firstOthers] = lives();
      // The second boot ends the first container, so its check fails.
      const second = await stack.boot(never);
      await expect(first.verify?.()).rejects.toThrow('E_SERVICE_DIED');
      await expect(second.verify?.()).resolves.toBeUndefined();
      const [secondApp, ...secondOthers] = lives();
      expect(secondApp).not.toBe(firstApp);
      expect(secondOthers).toEqual(firstOthers);
      expect((await fetch(`${second.url}/list`)).ok).toBe(true);
      expect(second.readUsage().service.rssBytes).toBeGreaterThan(10 * 2 ** 20);
      expect(stack.logTail(5)).toEqual(['app: pool opened with ***']);
      expect(notes.join()).not.toContain('published ports');
    } finally {
      await stack.down();
      await stack.down();
    }
    expect(lives()).toEqual([]);
  });

  describe('with data that a command makes', () => {
    const command = [
      'sh',
      '-c',
      "echo seeded >>runs.txt; docker compose exec -T db node -e \"fs.writeFileSync('/data/rows', '4'); fs.chmodSync('/data', 0o711)\"",
    ];
    const data = { command, key: ['seed.sql'], snapshot: ['data'] };

    /** Keeps data that exists, as a migration does. */
    async function project(): Promise<FsFixture> {
      const fixture = await createFixture(tinyCompose);
      await writeFile(fixture.getPath('seed.sql'), '4 rows\n');
      await editCompose(fixture, 'data:/data:ro', 'data:/data');
      const script = fixture.getPath('tiny.mjs');
      const text = await readFile(script, 'utf8');
      await writeFile(
        script,
        text.replace(
          "writeFileSync('/data/rows', '3');",
          "try { readFileSync('/data/rows'); } catch { writeFileSync('/data/rows', '3'); }",
        ),
      );
      return fixture;
    }

    const inVolume = (fixture: FsFixture) =>
      docker(
        ...['exec', `${projectName(fixture.path)}-db-1`, 'node', '-e'],
        "console.log(fs.readFileSync('/data/rows', 'utf8'), fs.statSync('/data').mode.toString(8))",
      );

    it('is made once, whatever a load does to it, and anew with another key', async () => {
      await using fixture = await project();
      const runs = async () => (await readFile(fixture.getPath('runs.txt'), 'utf8')).split('\n').length - 1;
      const keys: string[] = [];
      for (const round of [0, 1, 2]) {
        if (round === 2) await writeFile(fixture.getPath('seed.sql'), '5 rows\n');
        const stack = stackOf(fixture, [], { config: { data } });
        try {
          await stack.prepare(never);
          await stack.up(never);
          expect(inVolume(fixture)).toEqual(['4 40711']);
          keys.push((await stack.boot(never)).dataKey);
          docker(
            'exec',
            `${projectName(fixture.path)}-db-1`,
            'node',
            '-e',
            "fs.writeFileSync('/data/rows', '9')",
          );
        } finally {
          await stack.down();
        }
        expect(remains(projectName(fixture.path))).toEqual([]);
        expect(await runs()).toBe(round === 2 ? 2 : 1);
      }
      expect(keys[1]).toBe(keys[0]);
      expect(keys[2]).not.toBe(keys[0]);
    });

    it.each([
      ['fails', { ...data, command: ['false'] }, /E_DATA false: the command ended with exit code 1/],
      [
        'has no such volume',
        { ...data, snapshot: ['rows'] },
        /E_DATA_VOLUME .*no service of the compose file mounts a volume "rows"/,
      ],
    ])('is refused if it %s, and leaves nothing', async (_, config, cause) => {
      await using fixture = await project();
      const stack = stackOf(fixture, [], { config: { data: config } });
      try {
        await stack.prepare(never);
        await expect(stack.up(never)).rejects.toThrow(cause);
      } finally {
        await stack.down();
      }
      expect(remains(projectName(fixture.path))).toEqual([]);
      expect(await readdir(fixture.getPath('cache/snapshots'))).toEqual([]);
    });
  });

  it('accepts the end of a step that no service waits for, but not of a server under load', async () => {
    await using fixture = await createFixture(tinyCompose);
    const service = (name: string, script: string) =>
      `  ${name}: { image: "${nodeImage()}", command: [node, -e, ${JSON.stringify(script)}] }\n`;
    const server =
      'process.on("SIGTERM", () => process.exit(0)); setInterval(() => {}, 1000); console.log("listens");';
    await editCompose(
      fixture,
      '  app:\n',
      `${service('job', 'process.exit(0)')}${service('cache', server)}  app:\n`,
    );
    const stack = stackOf(fixture, []);
    const project = projectName(fixture.path);
    try {
      await stack.prepare(never);
      await stack.up(never);
      await expect
        .poll(() => docker('inspect', '--format', '{{.State.Status}}', `${project}-job-1`))
        .toEqual(['exited']);
      const booted = await stack.boot(never);
      await booted.verify?.();
      await expect.poll(() => docker('logs', `${project}-cache-1`)).toEqual(['listens']);
      docker('kill', '--signal', 'TERM', `${project}-cache-1`);
      await expect(booted.failure).rejects.toThrow(
        'E_SERVICE_DIED service cache: cache ended under load, with exit code 0',
      );
      await expect(booted.verify?.()).rejects.toThrow('E_SERVICE_DIED service cache');
    } finally {
      await stack.down();
    }
  });

  it('ignores a service without replicas', async () => {
    await using fixture = await createFixture(tinyCompose);
    await editCompose(
      fixture,
      '  app:\n',
      '  spare: { image: "registry.invalid/absent:1", scale: 0 }\n  app:\n',
    );
    await editCompose(
      fixture,
      '{ db: { condition: service_healthy } }',
      '{ db: { condition: service_healthy }, spare: { condition: service_started } }',
    );
    const stack = stackOf(fixture, []);
    try {
      await stack.prepare(never);
      await stack.up(never);
      const booted = await stack.boot(never);
      expect(booted.versions).not.toHaveProperty('spare');
    } finally {
      await stack.down();
    }
  });

  it('goes down even if its logs cannot be saved', async () => {
    await using fixture = await createFixture(tinyCompose);
    const notes: string[] = [];
    const stack = stackOf(fixture, notes);
    await stack.prepare(never);
    await stack.up(never);
    await mkdir(fixture.getPath('logs/compose.log'));
    try {
      await stack.down();
      expect(remains(projectName(fixture.path))).toEqual([]);
    } finally {
      await removeStack(fixture);
    }
    expect(notes).toContainEqual(
      expect.stringMatching(/^the logs of the containers were not saved: .*EISDIR/),
    );
  });

  it('names the failed service, even if that name is also a password', async () => {
    await using fixture = await createFixture(tinyCompose);
    const text = await readFile(fixture.getPath('compose.yml'), 'utf8');
    await writeFile(
      fixture.getPath('compose.yml'),
      text.replace('  db:\n', '  tiny-db:\n').replace('{ db: {', '{ tiny-db: {'),
    );
    const stack = stackOf(fixture, [], {
      config: {
        env: { DB_PASSWORD: 'tiny-db' },
        secrets: [],
        backingMetrics: [{ service: 'tiny-db', port: 9104, path: '/metrics' }],
      },
      env: { TINY_FAULT: 'db-exit' },
    });
    try {
      await stack.prepare(never);
      await expect(stack.up(never)).rejects.toMatchObject({
        details: { place: 'service tiny-db', cause: expect.stringMatching(/^tiny-db ended .* exit code 4$/) },
      });
    } finally {
      await stack.down();
    }
  });

  it('does not wait for a container that ignores SIGTERM once the check is cancelled', async () => {
    await using fixture = await createFixture(tinyCompose);
    const patience = 200;
    const stack = stackOf(fixture, [], {
      config: { stopWithin: patience },
      env: { TINY_FAULT: 'stubborn' },
    });
    const abort = new AbortController();
    try {
      await stack.prepare(abort.signal);
      await stack.up(abort.signal);
      const booting = stack.boot(abort.signal);
      abort.abort(new Error('cancelled'));
      await expect(booting).rejects.toThrow('cancelled');
      const begun = performance.now();
      await stack.down();
      expect((performance.now() - begun) / 1000).toBeLessThan(patience);
      expect(remains(projectName(fixture.path))).toEqual([]);
    } finally {
      await removeStack(fixture);
    }
  });

  it('is independent of other stacks of a file with fixed ports and names', async () => {
    // A user's own stack of the same file has its port, its container and its volume.
    const server = createServer((_, response) => response.end('theirs'));
    await new Promise<void>((listening) => server.listen(0, listening));
    const { port } = server.address() as AddressInfo;
    const [container, volume, network] = [`tiny-db-${port}`, `tiny-data-${port}`, `tiny-net-${port}`];
    docker('volume', 'create', volume);
    docker('create', '--name', container, '--volume', `${volume}:/data`, nodeImage(), 'node');
    await using one = await createFixture(tinyCompose);
    await using other = await createFixture(tinyCompose);
    const notes: string[] = [];
    const stacks = [one, other].map((fixture) => stackOf(fixture, notes));
    const theirs = () => [
      ...docker('ps', '-a', '--filter', `volume=${volume}`, '--format', '{{.Names}}'),
      ...docker('volume', 'ls', '--filter', `name=${volume}`, '--format', '{{.Name}}'),
    ];
    try {
      for (const fixture of [one, other]) {
        const text = await readFile(fixture.getPath('compose.yml'), 'utf8');
        await writeFile(
          fixture.getPath('compose.yml'),
          text
            .replace('"127.0.0.1::8080"', `"${port}:8080", "${port}:5353/udp"`)
            .replace('  db:\n', `  db:\n    container_name: ${container}\n`)
            .replace(
              '  data: {}\n',
              `  data: { name: ${volume} }\nnetworks:\n  default: { name: ${network} }\n`,
            ),
        );
      }
      await Promise.all(stacks.map((stack) => stack.prepare(never)));
      expect(notes.filter((text) => text.includes('instead of'))).toEqual(
        Array(2).fill(
          `app is published on free ports instead of ${port} and ${port}/udp; a new volume replaces ${volume}`,
        ),
      );
      await Promise.all(stacks.map((stack) => stack.up(never)));
      const booted = await Promise.all(stacks.map((stack) => stack.boot(never)));
      for (const { url } of booted) expect(await textAt(`${url}/list`)).toBe('/list');
      for (const fixture of [one, other]) {
        const project = projectName(fixture.path);
        const [published = ''] = docker('port', `${project}-app-1`, '8080/tcp');
        expect(published).toMatch(/^127\.0\.0\.1:\d+$/);
        expect(await textAt(`http://${published}/list`)).toBe('/list');
        expect(docker('port', `${project}-app-1`, '5353/udp')).toEqual([
          expect.stringMatching(/^127\.0\.0\.1:\d+$/),
        ]);
        // The fixed name of the database's container leads to the database of the same stack.
        const lookup = `require('dns').resolve4('${container}', (_, found) => console.log(found.join()))`;
        expect(docker('exec', `${project}-app-1`, 'node', '-e', lookup)).toEqual(
          docker(
            ...['inspect', '--format', '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}'],
            `${project}-db-1`,
          ),
        );
        expect(remains(project).toSorted()).toEqual([
          ...['app', 'data', 'db'].map((service) => `container ${project}-${service}-1`),
          `network ${project}_default`,
          `volume ${project}_data`,
        ]);
      }
      expect(await textAt(`http://127.0.0.1:${port}`)).toBe('theirs');
      await stacks[0]?.down();
      expect(remains(projectName(one.path))).toEqual([]);
      expect(await textAt(`${booted[1]?.url}/list`)).toBe('/list');
      await stacks[1]?.down();
      expect(remains(projectName(other.path))).toEqual([]);
      expect(theirs()).toEqual([container, volume]);
    } finally {
      await Promise.all(stacks.map((stack) => stack.down()));
      docker('rm', container);
      docker('volume', 'rm', volume);
      server.close();
    }
  });
});

describe.skipIf(lackOfEngine() !== undefined)('the containers of a stack', () => {
  /** Reads a detail of the project's container of a service. */
  const inspected = (fixture: FsFixture, service: string, format: string) =>
    docker('inspect', '--format', format, `${projectName(fixture.path)}-${service}-1`);

  it('run what their own checkout built, even if another one builds under the same name', async () => {
    await using one = await createFixture(tinyCompose);
    await using other = await createFixture(tinyCompose);
    const checkouts = [one, other];
    const shared = 'perf-gate-test/same-name:1';
    docker('tag', nodeImage(), shared);
    const stacks = checkouts.map((fixture) => stackOf(fixture, [], { config: { buildImages: true } }));
    try {
      for (const [index, fixture] of checkouts.entries()) {
        await writeFile(
          fixture.getPath('Dockerfile'),
          `FROM ${nodeImage()}\nCOPY tiny.mjs /srv/tiny.mjs\nLABEL checkout=${index}\n`,
        );
        const text = await readFile(fixture.getPath('compose.yml'), 'utf8');
        await writeFile(
          fixture.getPath('compose.yml'),
          text
            .replace(
              '  app:\n    <<: *common\n',
              `  app:\n    <<: *common\n    image: ${shared}\n    build: .\n`,
            )
            .replace('  db:\n    <<: *common\n', `  db:\n    <<: *common\n    image: ${shared}\n`),
        );
      }
      // The first checkout builds before the second, but creates its containers after it.
      for (const stack of stacks) await stack.prepare(never);
      for (const stack of stacks) await stack.up(never);
      for (const [index, fixture] of checkouts.entries()) {
        for (const service of ['app', 'db']) {
          expect(inspected(fixture, service, '{{index .Config.Labels "checkout"}}')).toEqual([`${index}`]);
        }
      }
      expect(docker('inspect', '--format', '{{.Id}}', shared)).toEqual(
        docker('inspect', '--format', '{{.Id}}', nodeImage()),
      );
    } finally {
      for (const stack of stacks) await stack.down();
      // Either image may be missing.
      spawnSync('docker', ['rmi', shared, ...checkouts.map(({ path }) => `${projectName(path)}-app`)]);
    }
  });

  it('keep to the given CPUs, whether or not their file asks for it', async () => {
    await using fixture = await createFixture(tinyCompose);
    const [first = 0, second = first] = allowedCpus();
    const notes: string[] = [];
    const stack = stackOf(fixture, notes, {
      cpuSets: { service: `${first}`, backing: `${second}`, generator: `${first}`, generatorCpus: 1 },
    });
    try {
      const text = await readFile(fixture.getPath('compose.yml'), 'utf8');
      await writeFile(fixture.getPath('compose.yml'), text.replace(/ +cpuset: .*\n/g, ''));
      await stack.prepare(never);
      await stack.up(never);
      const cpus = (service: string) => inspected(fixture, service, '{{.HostConfig.CpusetCpus}}');
      expect([cpus('app'), cpus('db'), cpus('data')]).toEqual([[`${first}`], [`${second}`], [`${second}`]]);
      expect(notes).toContain(`CPUs: service ${first}, backing services ${second}, load generator ${first}`);
    } finally {
      await stack.down();
    }
  });
});

it('reads the CPUs of this process on Linux', () => {
  expect(allowedCpus().length).toBe(process.platform === 'linux' ? Number(spawnSync('nproc').stdout) : 0);
});

it.skipIf(process.platform !== 'linux')('keeps the load to the given CPUs', async () => {
  await using fixture = await createFixture({ 'script.js': 'export default function () {}' });
  const [cpu = 0] = allowedCpus();
  const generator = createK6({
    binary: process.env.GATE_K6 ?? 'k6',
    path: process.env.PATH,
    cpus: { list: String(cpu), count: 1 },
  });
  expect(generator.ownCpus).toBe(1);
  const abort = new AbortController();
  const sink = {
    request: () => {},
    failedCheck: () => {},
    received: () => {},
    metric: () => undefined,
    exception: () => {},
    users: () => undefined,
    dropped: () => {},
    iteration: () => abort.abort(new Error('enough')),
  };
  const spec = {
    script: fixture.getPath('script.js'),
    stages: [
      { seconds: 0, vus: 1 },
      { seconds: 30, vus: 1 },
    ],
    env: {},
  };
  const load = generator.start(spec, sink, abort.signal);
  const allowedList = () =>
    readFileSync(`/proc/${load.pids[0] ?? 0}/status`, 'utf8').match(/Cpus_allowed_list:\s*(\S+)/)?.[1];
  await expect.poll(allowedList, { interval: 20 }).toBe(String(cpu));
  await expect(load.done).rejects.toThrow('enough');
});
