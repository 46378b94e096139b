import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, stat, truncate } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { dashboards } from '../../scripts/dashboards/index.ts';
import { filled, panelQueries } from '../../scripts/dashboards/panel-queries.ts';
import { projectName } from '../../src/adapters/compose/project.ts';
import { type Run, runSchema } from '../../src/model/run.ts';
import { lackOfEngine, nodeImage, remains } from './compose-engine.ts';
import { type Outcome, TinyProject } from './gate.ts';

const lacking = lackOfEngine();
const checkout = resolve(import.meta.dirname, '../../..');
const composeFile = join(checkout, 'docker-compose.ci.yml');
/** The images of this machine, which may be made without a registry and then have no digest. */
const images = Object.fromEntries(
  execFileSync(join(checkout, '.ci/images'), ['--env'], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.split('=') as [string, string]),
);
/** The image is built and the data seeded: half a minute here, several on a busy machine. */
const timeout = 600_000;

/** One for all tests, and its archive with it: seeding takes longer than all the rest. */
let project: TinyProject;

function check(config: string, suite: string): Promise<Outcome> {
  const args = ['check', '--config', config, '--suite', suite, '--stack', 'compose', '--compare', 'none'];
  return project.run(args, { ...images, JAVA_HOME: process.env.JAVA_HOME ?? '', TINY_IMAGE: nodeImage() });
}

async function readPerf(): Promise<ReturnType<typeof parse>> {
  return parse(await readFile(join(checkout, 'perf/gate.yml'), 'utf8'));
}

/** The project's own gate.yml, to be read from another folder, with one short cell and a warm-up that is none. */
async function shortened(): Promise<string> {
  const perf = join(checkout, 'perf');
  const config = await readPerf();
  for (const stack of Object.values<{ root: string; file?: string }>(config.stack)) {
    stack.root = checkout;
    if (stack.file !== undefined) stack.file = resolve(perf, stack.file);
  }
  for (const scenario of Object.values<{ script: string }>(config.scenarios)) {
    scenario.script = resolve(perf, scenario.script);
  }
  config.suites = { short: { cells: ['trip-browse@average'], rounds: 2, guard: '1s', counted: '2s' } };
  config.warmUp = { window: '2s', settledWindows: 2, compileMsPerSecond: 1_000_000, cap: '1m' };
  // What this test is about is not how quiet the machine is.
  config.limits = { generatorCpuShare: '100%', stealShare: '100%', othersCpuShare: '100%' };
  return stringify(config);
}

/** The project's own stack without Grafana, whose image only a registry has. */
async function withDashboards(): Promise<string> {
  await project.write('without-grafana.yml', stringify({ services: { grafana: { scale: 0 } } }));
  const own = join(project.fixture.path, 'without-grafana.yml');
  await project.write('dashboards.compose.yml', stringify({ include: [{ path: [composeFile, own] }] }));
  const config = parse(await shortened());
  config.stack.compose.file = join(project.fixture.path, 'dashboards.compose.yml');
  return stringify(config);
}

/** The project's own data step before the tiny service, which boots at once: a check of the step and of little else. */
async function writeDataStep(): Promise<void> {
  const { stack } = await readPerf();
  const config = parse(await readFile(join(project.fixture.path, 'gate.yml'), 'utf8'));
  const [dbJar] = stack.compose.build;
  config.stack.compose = {
    ...config.stack.compose,
    root: checkout,
    file: 'data-step.compose.yml',
    build: [dbJar],
    buildImages: true,
    backingMetrics: undefined,
    upWithin: stack.compose.upWithin,
  };
  config.suites = { one: { cells: ['browse@few'], rounds: 2, guard: '500ms', counted: '1s' } };
  await project.write('data-step.yml', stringify(config));
  await writeVolumes({});
}

/** @param driverOptions of the volume that the database's files are restored into */
async function writeVolumes(driverOptions: Readonly<Record<string, string>>): Promise<void> {
  const { services } = parse(await readFile(join(project.fixture.path, 'compose.yml'), 'utf8'), {
    merge: true,
  });
  await project.write(
    'data-step.compose.yml',
    stringify({
      services: {
        data: { extends: { file: composeFile, service: 'data' } },
        app: { ...services.app, depends_on: { data: { condition: 'service_completed_successfully' } } },
      },
      volumes: { 'mariadb-data': { driver_opts: driverOptions }, 'redis-data': {} },
    }),
  );
}

function snapshots(): string {
  return join(project.fixture.path, 'cache/snapshots');
}

/** The only archive, with nothing half-written next to it. */
async function archive(): Promise<{
  readonly path: string;
  readonly bytes: number;
  readonly sound: boolean;
}> {
  const names = (await readdir(snapshots())).toSorted();
  const name = names.find((one) => one.endsWith('.tar.zst')) ?? '';
  expect(names).toEqual([`${name.replace(/\.tar\.zst$/, '')}.lock`, name, `${name}.sha256`]);
  const path = join(snapshots(), name);
  const digest = createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
  const written = await readFile(`${path}.sha256`, 'utf8');
  return { path, bytes: (await stat(path)).size, sound: written === `${digest}  ${name}\n` };
}

async function newestResults(): Promise<string> {
  const results = join(project.fixture.path, '.perf-gate/results');
  return join(results, (await readdir(results)).sort().at(-1) ?? '');
}

async function newestRun(): Promise<Run> {
  return runSchema.parse(JSON.parse(await readFile(join(await newestResults(), 'run.json'), 'utf8')));
}

describe.skipIf(lacking !== undefined)("this project's own compose stack", () => {
  beforeAll(async () => {
    project = await TinyProject.create('tiny-compose');
    await writeDataStep();
    const { code, stderr } = await check('data-step.yml', 'one');
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('data: data was rebuilt: there is none');
  }, timeout);

  afterEach(() => {
    expect(remains(projectName(project.fixture.path))).toEqual([]);
  });

  afterAll(async () => {
    await project.fixture.rm();
  });

  it('makes the snapshot anew whose archive was cut off, and says so', { timeout }, async () => {
    const before = await archive();
    await truncate(before.path, Math.floor(before.bytes / 2));
    expect(await archive()).toMatchObject({ sound: false });

    const { code, stderr } = await check('data-step.yml', 'one');

    const problem = `it is damaged: its ${Math.floor(before.bytes / 2)} bytes do not match its checksum`;
    expect(code, stderr).toBe(0);
    expect(stderr).toContain(`data: data was rebuilt: ${problem}\n`);
    expect(await readFile(join(await newestResults(), 'compose.log'), 'utf8')).toContain(
      `${problem}, so it is made again`,
    );
    expect(await archive()).toMatchObject({ path: before.path, sound: true });
    expect((await newestRun()).fingerprint.dataKey).not.toBe('');
  });

  it.each([
    ['has too little room for the data', 'size=64m', /restoring the data needs \d{3,} MiB, 64 MiB are free/],
    // Room enough for the bytes, but not for all the files: found while they are written.
    [
      'becomes full while restoring',
      'size=1500m,nr_inodes=40',
      /the disk became full while restoring the data/,
    ],
  ])('names the data step if its volume %s', { timeout }, async (_, size, cause) => {
    await writeVolumes({ type: 'tmpfs', device: 'tmpfs', o: size });

    const { code, stderr } = await check('data-step.yml', 'one');

    expect(stderr).toContain('error[DISK_FULL] service data: /restore/mariadb: ');
    expect(stderr).toMatch(cause);
    expect(stderr).toContain('next: free space there');
    expect(code).toBe(3);
    expect(await archive()).toMatchObject({ sound: true });
  });

  it('boots with all its data, takes load and leaves nothing', { timeout }, async () => {
    await project.write('short.yml', await shortened());
    const { code, stdout, stderr } = await check('short.yml', 'short');
    expect(stderr).toContain('✓ boot');
    expect(stderr).not.toContain('data was rebuilt');
    expect(stdout).toContain('trip-browse@average');
    expect(code, stdout + stderr).toBe(0);
    const run = await newestRun();
    expect(run.fingerprint.stack).toBe('compose');
    expect(run.fingerprint.dataKey).not.toBe('');
    const [block] = run.cells[0]?.blocks ?? [];
    expect(block).toMatchObject({ errors: 0, invalid: [] });
    expect(Object.keys(block?.signals ?? {})).toEqual(
      expect.arrayContaining([
        'statements',
        'rowsRead',
        'redisCommands',
        'databaseCpu',
        'logMessages',
        'allocated',
      ]),
    );
  });

  it('shows service and checks on dashboards, with figures behind every panel', { timeout }, async () => {
    await project.write('dashboards.yml', await withDashboards());
    const up = project.start(['up', '--config', 'dashboards.yml', '--dashboards'], {
      ...images,
      JAVA_HOME: process.env.JAVA_HOME ?? '',
    });
    try {
      await Promise.race([up.done, expect.poll(up.stdout, { timeout }).toContain('It runs until')]);
      const address = (name: string) =>
        new RegExp(`^${name} +(\\S+)$`, 'm').exec(up.stdout())?.[1] ?? expect.fail(up.stdout());
      const [influxdb, prometheus] = [address('influxdb'), address('prometheus')];

      const asked = new URLSearchParams({ db: 'perf', q: 'SELECT "sentence" FROM "gate_runs"' });
      expect(await (await fetch(`${influxdb}/query?${asked}`)).text()).toContain('"gate_runs"');
      const load = [
        'run',
        '--quiet',
        '--vus',
        '5',
        '--duration',
        '15s',
        '-e',
        `BASE_URL=${address('service')}`,
      ];
      await promisify(execFile)(process.env.GATE_K6 ?? 'k6', [
        ...load,
        join(checkout, 'perf/scenarios/booking.ts'),
      ]);
      expect((await fetch(`${address('service')}/queues/order`)).status).toBe(401);
      const evaluated = async (expression: string) => {
        const query = new URLSearchParams({ query: expression });
        const answer = await fetch(`${prometheus}/api/v1/query?${query}`);
        return ((await answer.json()) as { data: { result: unknown[] } }).data.result;
      };
      await expect.poll(() => evaluated('up == 1'), { timeout: 60_000 }).toHaveLength(3);
      const panels = Object.values(dashboards).flatMap((dashboard) => panelQueries(dashboard.build()));
      for (const { title, text } of panels.filter(({ kind }) => kind === 'prometheus')) {
        const expression = filled(text, new Map(), '');
        await expect.poll(() => evaluated(expression), { timeout: 60_000, message: title }).not.toEqual([]);
      }
    } finally {
      await project.run(['down', '--config', 'dashboards.yml']);
      await up.done;
    }
  });
});
