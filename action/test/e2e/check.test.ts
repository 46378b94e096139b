import { existsSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { x } from 'tinyexec';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createBranchStore } from '../../src/adapters/baseline/branch-store.ts';
import { createSystemClock } from '../../src/adapters/host/system-clock.ts';
import { runSchema } from '../../src/model/run.ts';
import { verdictSchema } from '../../src/model/verdict.ts';
import { git, Remote } from '../contract/git-repositories.ts';
import { pidOf, processesMentioning, slow, TinyProject, wideTolerances } from './gate.ts';

let project: TinyProject;
const check = ['check', '--config', 'gate.yml'];

beforeEach(async () => {
  project = await TinyProject.create();
});

afterEach(async () => {
  // Whatever a test did, nothing may be left running that knows this folder.
  expect(await processesMentioning(project.fixture.path)).toEqual([]);
  await project.fixture.rm();
});

async function newestVerdict() {
  const results = join(project.fixture.path, '.perf-gate/results');
  const newest = (await readdir(results)).sort().at(-1) ?? '';
  return verdictSchema.parse(JSON.parse(await readFile(join(results, newest, 'verdict.json'), 'utf8')));
}

describe('a check', () => {
  it('stores the first run, passes the same code, and names the endpoint and the cause of a regression', async () => {
    await project.edit('rounds: 2', 'rounds: 4');
    await project.edit('floors:', wideTolerances);
    await project.write('.gitignore', 'cache/\n');
    git(project.fixture.path, ['init', '-q', '-b', 'main']);
    git(project.fixture.path, ['add', '-A']);
    git(project.fixture.path, ['commit', '-qm', 'first']);
    const first = await project.run(check);
    expect(first.code, first.stderr).toBe(0);
    expect(first.stdout).toMatch(/nothing to compare|no baseline/i);
    expect(await newestVerdict()).toMatchObject({
      outcome: 'pass',
      comparison: { kind: 'none', reason: 'no-baseline' },
    });
    // So that nobody commits it, in a repository that has not heard of the gate.
    expect(await readFile(join(project.fixture.path, '.perf-gate/.gitignore'), 'utf8')).toBe('*\n');
    expect(first.stdout).toMatch(/gate\s+check\s+--config\s+gate\.yml/);

    const second = await project.run(check);
    expect(second.code, second.stdout).toBe(0);
    // What looks worse by chance was measured again next to base.
    expect((await newestVerdict()).comparison.kind).toMatch(/^(stored|side-by-side)$/);

    const third = await project.run([...check, '--compare', 'stored'], slow);
    expect(third.code, third.stdout).toBe(1);
    expect(third.stdout).toContain('list');
    expect(third.stdout).toContain('SQL statements per request');
    const [, page = ''] = /^figures +(\S+report\.html)/m.exec(third.stdout) ?? [];
    expect(await readFile(join(project.fixture.path, page), 'utf8')).toContain('<strong>Regression</strong>');
    const { cells } = await newestVerdict();
    expect(cells.map(({ outcome }) => outcome)).toEqual(['regression', 'regression']);
    expect(cells[0]?.endpoints[0]).toMatchObject({ name: 'list' });
    expect(cells[0]?.endpoints[0]?.shareOfAddedTime).toBeGreaterThan(0.8);
    expect(cells[0]?.signals[0]).toMatchObject({ name: 'statements', moved: true });
  });

  it('is shown again later, and compared with another one, from what it left behind', async () => {
    await project.edit('floors:', wideTolerances);
    const [first, second] = [await project.run(check), await project.run(check, slow)];
    const shown = await project.run(['report', '--config', 'gate.yml']);
    expect(shown.code, shown.stderr).toBe(0);
    // Only the check itself knows whether its run was stored, and so what to do next.
    const figures = (text: string) =>
      text.split('\nNext: ')[0]?.replace('; this run is now the baseline', '');
    expect(figures(shown.stdout)).toBe(figures(second.stdout));

    const results = join(project.fixture.path, '.perf-gate/results');
    const [fast = '', late = ''] = (await readdir(results)).toSorted();
    await rm(join(results, fast, 'report.html'));
    const earlier = await project.run(['report', '--config', 'gate.yml', fast]);
    expect(figures(earlier.stdout)).toBe(figures(first.stdout));
    expect(await readFile(join(results, fast, 'report.html'), 'utf8')).toContain('class="axis"');

    const compared = await project.run([
      'compare',
      '--config',
      'gate.yml',
      fast,
      `.perf-gate/results/${late}`,
    ]);
    expect(compared.code, compared.stderr).toBe(0);
    // Whether one measurement is proof enough depends on how much the machine's speed wandered.
    expect(compared.stdout).toMatch(
      /^(?:Regression|Undecided): [\s\S]*^ {2}browse@more, 4 VUs\n {4}p95 +[\d.,]+ → [\d,]+ ms +\+\d/m,
    );
    const [, page = ''] = /^figures +(\S+report\.html)/m.exec(compared.stdout) ?? [];
    const text = await readFile(join(project.fixture.path, page), 'utf8');
    expect(text).toMatch(/class="of-base"/);

    const cost = await project.run(['bench', 'report', '--config', 'gate.yml']);
    expect(cost.code, cost.stderr).toBe(0);
    expect(cost.stdout).toMatch(/make its page +[\d.,]+ ms +[\d.]+ KiB/);

    const unknown = await project.run(['compare', '--config', 'gate.yml', fast, 'nowhere']);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain('error[E_RESULT_MISSING] nowhere: ');
    expect(unknown.stderr).toContain(late);
  });

  it('only measures with --compare none', async () => {
    const { code, stdout } = await project.run([...check, '--compare', 'none']);
    expect(code, stdout).toBe(0);
    expect((await newestVerdict()).comparison).toEqual({ kind: 'none', reason: 'not-asked', mismatches: [] });
    expect(await readdir(join(project.fixture.path, '.perf-gate'))).not.toContain('baseline');
  });

  it('does not compare with a run of another load, says what differs, and stores this one too', async () => {
    await project.run(check);
    await project.edit('vus: 4', 'vus: 5');
    const { code, stdout } = await project.run(check);
    expect(code).toBe(4);
    expect(stdout).toMatch(/load/i);
    expect(await newestVerdict()).toMatchObject({
      outcome: 'undecided',
      comparison: { kind: 'none', reason: 'not-comparable' },
    });
    const baseline = JSON.parse(
      await readFile(join(project.fixture.path, '.perf-gate/baseline/baseline.json'), 'utf8'),
    );
    expect(baseline.runs).toHaveLength(2);
  });
});

describe('bad input ends with exit code 2 and says where and what', () => {
  it.each([
    ['an unknown key', 'rounds: 2', 'roundz: 2', /E_CONFIG_\w+\] .*gate\.yml:\d+:\d+.*rounds/],
    [
      'no virtual users',
      'vus: 2, objectives',
      'vus: 0, objectives',
      /gate\.yml:\d+:\d+.*\n?.*at least 1 virtual user/,
    ],
    ['negative virtual users', 'vus: 2, objectives', 'vus: -3, objectives', /gate\.yml:\d+:\d+/],
    ['virtual users as text', 'vus: 2, objectives', 'vus: many, objectives', /gate\.yml:\d+:\d+/],
    ['a script that is not there', 'script: journey.js', 'script: missing.js', /E_SCENARIO_MISSING/],
    [
      'a foreign target',
      'url: http://127.0.0.1:${PORT}',
      'url: http://example.com:${PORT}',
      /E_TARGET_FOREIGN/,
    ],
    [
      'an unknown variable',
      'url: http://127.0.0.1:${PORT}',
      'url: http://127.0.0.1:${PROT}',
      /E_CONFIG_VARIABLE.*/,
    ],
    ['a command that is not there', 'command: [node, server.mjs]', 'command: [no-such-program]', /E_COMMAND/],
  ])('%s', async (_, from, to, pattern) => {
    await project.edit(from, to);
    const { code, stderr } = await project.run(check);
    expect(stderr).toMatch(pattern);
    expect(stderr).toMatch(/next:/);
    expect(code).toBe(2);
  });

  it('a script that does not compile', async () => {
    await project.write('journey.js', 'export default function () {\n  const = 1;\n}\n');
    const { code, stderr } = await project.run(check);
    expect(stderr).toMatch(/E_SCENARIO_COMPILE.*journey\.js:2/);
    expect(code).toBe(2);
  });

  it('a script that sends no request', async () => {
    await project.write('journey.js', 'export default function () {}\n');
    const { code, stderr } = await project.run(check);
    expect(stderr).toMatch(/E_SCENARIO_SILENT/);
    expect(code).toBe(2);
  });

  it('an unknown option, an unknown suite', async () => {
    expect(await project.run(['check', '--confg', 'gate.yml'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--config'),
    });
    expect(await project.run([...check, '--suite', 'nightly'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('E_SUITE_UNKNOWN'),
    });
  });
});

describe('what cannot be measured ends with exit code 3', () => {
  it('a service that does not boot, with its last log lines', async () => {
    const { code, stderr } = await project.run(check, { TINY_BOOT_FAILURE: 'Caused by: no database' });
    expect(stderr).toContain('E_SERVICE_BOOT');
    expect(stderr).toContain('Caused by: no database');
    expect(code).toBe(3);
  });

  it('a service that never becomes ready', async () => {
    await project.edit('within: 60s', 'within: 1s');
    const { code, stderr } = await project.run(check, { TINY_BOOT_MS: '60000' });
    expect(stderr).toContain('E_NOT_READY');
    expect(code).toBe(3);
  });

  it('a service that dies under load', async () => {
    const { code, stderr } = await project.run(check, { TINY_DIE_AFTER: '500' });
    expect(stderr).toContain('E_SERVICE_DIED');
    expect(stderr).toContain('exit code 9');
    expect(stderr).toContain('tiny: out of seats');
    expect(code).toBe(3);
  });

  it('a service that dies under an unbroken load, which gate bench has no figures of', async () => {
    await project.edit('counted: 2s', 'counted: 20s\n    unbroken: true');
    const bench = ['bench', '--config', 'gate.yml'];
    const { code, stdout, stderr } = await project.run(bench, { TINY_DIE_AFTER: '1000' });
    expect(stderr).toContain('E_SERVICE_DIED');
    expect(stdout).toBe('');
    expect(code).toBe(3);
  });

  it('a service that answers with errors only', async () => {
    const { code, stderr } = await project.run(check, { TINY_FAILING: 'yes' });
    expect(stderr).toContain('E_SERVICE_ERRORS');
    expect(code).toBe(3);
  });

  it('a port that is taken', async () => {
    const server = createServer();
    const port = await new Promise<number>((resolve) =>
      server.listen(0, '127.0.0.1', () => {
        const address = server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      }),
    );
    try {
      await project.edit('PORT: auto', `PORT: ${port}`);
      const { code, stderr } = await project.run(check);
      expect(stderr).toContain('E_PORT_TAKEN');
      expect(stderr).toContain(String(port));
      expect(code).toBe(3);
    } finally {
      server.close();
    }
  });

  it('a warm-up that does not settle: invalid, neither stored nor compared', async () => {
    // More windows than there is time for.
    await project.edit('settledWindows: 2', 'settledWindows: 20');
    await project.edit('cap: 60s', 'cap: 3s');
    const { code, stdout } = await project.run(check);
    expect(code, stdout).toBe(3);
    expect(await newestVerdict()).toMatchObject({ outcome: 'invalid', invalid: [{ code: 'I_WARM_UP' }] });
    expect(await readdir(join(project.fixture.path, '.perf-gate'))).not.toContain('baseline');
  });

  it('a generator that is killed', async () => {
    const gate = project.start(check);
    await gate.printed(/… load/);
    const generator = () => pidOf('\0run\0', project.fixture.path);
    process.kill(await vi.waitUntil(generator, { timeout: 60_000 }), 'SIGKILL');
    const { code, stdout } = await gate.done;
    expect(code, stdout).toBe(3);
    expect(stdout).toContain('did not finish');
  });

  it('two checks at once in one checkout: the second is refused, the first is not disturbed', async () => {
    const first = project.start(check);
    await first.printed(/… warm-up/);
    const second = await project.run(check);
    expect(second.stderr).toContain('E_BUSY');
    expect(second.code).toBe(3);
    expect((await first.done).code).toBe(0);
  });

  it('a lock of a process that is gone is taken over', async () => {
    await project.write(
      '.perf-gate/lock',
      JSON.stringify({ pid: 2 ** 22 - 1, startTime: '1', host: hostname(), since: 'then' }),
    );
    expect((await project.run([...check, '--compare', 'none'])).code).toBe(0);
  });
});

describe('a defect of the gate is no regression', () => {
  it('where a promise fails that nobody waits for', async () => {
    const failing = `
      const write = process.stdout.write;
      process.stdout.write = (...args) => {
        Promise.reject(new TypeError('nobody waits'));
        return write.apply(process.stdout, args);
      };`;
    const { code, stderr } = await project.run(['--help'], {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(failing)}`,
    });
    expect(stderr).toContain('a bug in the gate');
    expect(stderr).toContain('TypeError: nobody waits');
    expect(code, stderr).toBe(3);
  });
});

describe('a baseline that cannot be read is never written over', () => {
  it.each([
    ['corrupt', '{"schema":1,"runs":[{', 'E_BASELINE_CORRUPT'],
    ['newer', '{"schema":99,"runs":[]}', 'E_BASELINE_NEWER'],
  ])('%s', async (_, text, errorCode) => {
    await project.write('.perf-gate/baseline/baseline.json', text);
    const { code, stderr } = await project.run(check);
    expect(stderr).toContain(errorCode);
    expect(code).toBe(2);
    expect(await readFile(join(project.fixture.path, '.perf-gate/baseline/baseline.json'), 'utf8')).toBe(
      text,
    );
  });
});

describe('a baseline on a branch', () => {
  it('is compared with, and written neither by a check nor by a command', async () => {
    const remote = await Remote.create();
    const git = (...args: string[]) =>
      x('git', args, { nodeOptions: { cwd: project.fixture.path }, throwOnError: true });
    await git('init', '-q');
    await git('remote', 'add', 'origin', remote.path);
    await project.edit('floors:', 'baseline: { store: branch, branch: perf }\nfloors:');

    const refused = await project.run(['baseline', '--config', 'gate.yml']);
    expect(refused.code, refused.stderr).toBe(2);
    expect(refused.stderr).toContain('E_BASELINE_EVENT');
    expect(existsSync(join(project.fixture.path, '.perf-gate/results'))).toBe(false);

    const first = await project.run(check);
    expect(first.code, first.stderr).toBe(0);
    expect((await newestVerdict()).comparison).toMatchObject({ kind: 'none', reason: 'no-baseline' });
    expect(remote.tip('perf')).toBe('');
    expect(await readdir(join(project.fixture.path, '.perf-gate'))).not.toContain('baseline');

    const results = join(project.fixture.path, '.perf-gate/results');
    const newest = (await readdir(results)).sort().at(-1) ?? '';
    const run = runSchema.parse(JSON.parse(await readFile(join(results, newest, 'run.json'), 'utf8')));
    await createBranchStore({
      directory: project.fixture.path,
      branch: 'perf',
      remote: 'origin',
      env: process.env,
      clock: createSystemClock(),
      signal: new AbortController().signal,
    }).append(run, 20);
    const tip = remote.tip('perf');
    await project.run(check);
    expect((await newestVerdict()).comparison).toMatchObject({ kind: 'stored', base: [{ runId: run.id }] });
    expect(remote.tip('perf')).toBe(tip);
  });
});

describe('an interrupt', () => {
  it.each([
    ['while the service boots', /… boot/, { TINY_BOOT_MS: '60000' }],
    ['while warming up', /… warm-up/, {}],
    ['under load', /… load/, {}],
  ] as const)('%s leaves nothing running and exits with 130', async (_, phase, env) => {
    const gate = project.start(check, env);
    await gate.printed(phase);
    gate.process.kill('SIGINT');
    const { code, stderr } = await gate.done;
    expect(code, stderr).toBe(130);
    expect(stderr).toMatch(/SIGINT/);
  });

  it('while backing services start leaves nothing running and exits with 130', async () => {
    await project.edit(
      '    service:',
      '    backing:\n      command: [node, -e, "setInterval(() => 0, 1000)"]\n    service:',
    );
    const gate = project.start(check);
    await gate.printed(/… data/);
    gate.process.kill('SIGINT');
    expect((await gate.done).code).toBe(130);
  });

  it('SIGTERM exits with 143', async () => {
    const gate = project.start(check);
    await gate.printed(/… warm-up/);
    gate.process.kill('SIGTERM');
    expect((await gate.done).code).toBe(143);
  });

  it('a gate that was killed outright leaves its service behind; the next check ends it and says so', async () => {
    const gate = project.start(check);
    await gate.printed(/… warm-up/);
    gate.process.kill('SIGKILL');
    await gate.done;
    const next = await project.run([...check, '--compare', 'none']);
    expect(next.stderr).toMatch(/left running: service/);
    expect(next.code, next.stderr).toBe(0);
  });
});

describe('backing services', () => {
  const backing = (script: string, readyWithin = '60s') =>
    `    backing:\n      command: [node, -e, ${JSON.stringify(script)}]\n      readyWithin: ${readyWithin}\n    service:`;

  it('give the service their addresses, and end with their input', async () => {
    await writeFile(
      join(project.fixture.path, 'journey.js'),
      "import http from 'k6/http';\nexport default function () {\n  for (const name of ['list', 'detail']) http.get(`${__ENV.BASE_URL}/${name}`, { tags: { name } });\n}\n",
    );
    await project.edit(
      '    service:',
      backing(
        'console.log(JSON.stringify({ready:true,env:{TINY_BOOT_MS:"10"},versions:{database:"MariaDB 11.4.5"},dataKey:"k1"}));process.stdin.resume().on("end",()=>process.exit(0))',
      ),
    );
    const { code, stderr } = await project.run([...check, '--compare', 'none']);
    expect(code, stderr).toBe(0);
    expect((await newestVerdict()).fingerprint).toMatchObject({
      versions: { database: 'MariaDB 11.4.5' },
      dataKey: 'k1',
    });
  });

  it.each([
    [
      'end by themselves',
      'console.error("no space left");process.exit(4)',
      'E_BACKING_DIED',
      'no space left',
    ],
    ['print something else', 'console.log("hello");setInterval(()=>0,1000)', 'E_BACKING_PROTOCOL', 'hello'],
    [
      'say that they failed',
      'console.log(JSON.stringify({ready:false,error:{code:"DISK_FULL",message:"12 MB left",nextStep:"free some"}}));setInterval(()=>0,1000)',
      'DISK_FULL',
      '12 MB left',
    ],
    ['never become ready', 'setInterval(()=>0,1000)', 'E_NOT_READY', '5 s'],
  ])('that %s', async (_, script, errorCode, text) => {
    await project.edit('    service:', backing(script, errorCode === 'E_NOT_READY' ? '5s' : '60s'));
    const { code, stderr } = await project.run(check);
    expect(stderr).toContain(errorCode);
    expect(stderr).toContain(text);
    expect(code).toBe(errorCode === 'E_BACKING_PROTOCOL' ? 2 : 3);
  });
});
