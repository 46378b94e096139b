import { describe, expect, it } from 'vitest';
import { Leftovers } from '../host/leftovers.ts';
import { DockerCli } from './cli.ts';
import type { Container } from './containers.ts';
import { Endings } from './endings.ts';
import { explainContainer, explainError, failedContainer } from './failure.ts';
import { ComposeFaults } from './faults.ts';

function container(service: string, details: Partial<Container> = {}): Container {
  return {
    id: service,
    name: `perf-gate-1-${service}-1`,
    service,
    image: `${service}:1`,
    imageId: 'sha256:1',
    status: 'running',
    probe: '',
    outOfMemory: false,
    memoryLimit: 0,
    exitCode: 0,
    error: '',
    restarts: 0,
    pid: 7,
    startedAt: '2026-01-01T00:00:00Z',
    finishedAt: '0001-01-01T00:00:00Z',
    published: new Map(),
    ...details,
  };
}

const ended = (exitCode: number, second: number): Partial<Container> => ({
  status: 'exited',
  exitCode,
  finishedAt: `2026-01-01T00:00:0${second}Z`,
});

it('a time that is over is told also where all became ready meanwhile', async () => {
  const endings = new Endings({ oneShot: new Set(), lasting: new Set(['db']) }, ['app']);
  // It asks for no log, as there is none to blame.
  const docker = new DockerCli({}, new Leftovers('/nonexistent/containers.json'));
  const fault = await new ComposeFaults(docker, endings).ofTimeout(
    [container('db', { health: 'healthy' })],
    ['db'],
    4,
  );
  expect(fault.details).toMatchObject({
    code: 'E_STACK_TIMEOUT',
    place: 'docker compose up',
    cause: 'it did not return within 4 s, though its services were ready just after',
    logTail: [],
  });
});

describe('the container that failed', () => {
  const endings = new Endings({ oneShot: new Set(['data']), lasting: new Set(['db']) }, ['app']);

  it.each([
    ['running', {}],
    ['healthy', { health: 'healthy' }],
    ['not healthy yet', { health: 'starting' }],
    ['not started yet', { status: 'created' }],
  ])('is none that is %s', (_, details) => {
    expect(
      failedContainer([container('db', details), container('data', ended(0, 1))], endings),
    ).toBeUndefined();
  });

  it.each([
    ['ended, though with 0', ended(0, 1)],
    ['could not be started', { status: 'created', error: 'no such file' }],
    ['is started again and again', { status: 'restarting' }],
    ['was started again', { restarts: 1 }],
    ['lost a process for want of memory', { outOfMemory: true }],
    ['fails its health check', { health: 'unhealthy' }],
  ])('is one that %s', (_, details) => {
    expect(failedContainer([container('db', details)], endings)?.service).toBe('db');
  });

  it('is none that may end, until it ran when load began', () => {
    const job = container('job');
    const done = { ...job, ...ended(0, 1) };
    expect(failedContainer([done], endings)).toBeUndefined();
    expect(failedContainer([{ ...job, ...ended(1, 1) }], endings)?.service).toBe('job');
    expect(failedContainer([{ ...done, health: 'starting' }], endings)?.service).toBe('job');
    const later = new Endings({ oneShot: new Set(), lasting: new Set() }, []);
    later.loadBegins([done]);
    expect(failedContainer([done], later)).toBeUndefined();
    later.loadBegins([job]);
    expect(failedContainer([done], later)?.service).toBe('job');
  });

  it('is the one that ended first: the others wanted it', () => {
    const all = [
      container('app', { health: 'unhealthy' }),
      container('cache', ended(1, 3)),
      container('data', ended(3, 2)),
    ];
    expect(failedContainer(all, endings)?.service).toBe('data');
  });
});

describe('what became of it', () => {
  it.each([
    [{ outOfMemory: true, ...ended(137, 1), memoryLimit: 2 ** 26 }, [], 'E_STACK_OOM', 'its limit of 64 MiB'],
    [
      { outOfMemory: true },
      [],
      'E_STACK_OOM',
      "killed a process of db: it needed more than the machine's memory",
    ],
    [{ health: 'unhealthy', probe: 'refused' }, [], 'E_STACK_UNHEALTHY', 'its health check fails: refused'],
    [ended(1, 1), ['mariadbd: Error 28 "No space left on device"'], 'E_DISK_FULL', 'disk space'],
    [
      ended(1, 1),
      [
        "Error: ENOSPC: System limit for number of file watchers reached, watch '/srv'",
        "  errno: -28, syscall: 'watch', code: 'ENOSPC',",
      ],
      'E_STACK_CRASH',
      'exit code 1',
    ],
    [
      ended(1, 1),
      ['inotify_add_watch("/srv") failed: No space left on device'],
      'E_STACK_CRASH',
      'exit code 1',
    ],
    [ended(139, 1), [], 'E_STACK_CRASH', 'exit code 139 (SIGSEGV)'],
    [{ status: 'created', error: 'exec: "java": not found' }, [], 'E_STACK_CRASH', 'exec: "java": not found'],
    [
      { status: 'created', error: 'Bind for 0.0.0.0:80 failed: port is already allocated' },
      [],
      'E_PORT_TAKEN',
      '80',
    ],
  ])('%#', (details, log, code, text) => {
    const explained = explainContainer(container('db', details), log, 'boot');
    expect(explained).toMatchObject({ code, kind: 'measurement', place: 'service db' });
    expect(explained.cause).toContain(text);
  });

  it.each([
    [ended(137, 1), 'E_SERVICE_DIED', 'db ended under load, with exit code 137 (SIGKILL)'],
    [
      { restarts: 1, exitCode: 9 },
      'E_SERVICE_DIED',
      'db was restarted after it ended under load, with exit code 9',
    ],
    [{ outOfMemory: true, ...ended(137, 1) }, 'E_STACK_OOM', 'killed db under load'],
  ])('under load, %#', (details, code, text) => {
    const explained = explainContainer(container('db', details), [], 'load');
    expect(explained.code).toBe(code);
    expect(explained.cause).toContain(text);
  });
});

describe('what Docker says', () => {
  it.each([
    [
      'Error response from daemon: driver failed programming external connectivity on endpoint perf-gate-1-app-1 (abc): Bind for 127.0.0.1:8080 failed: port is already allocated',
      'E_PORT_TAKEN',
      'service app',
      'port 8080',
    ],
    [
      'driver failed programming external connectivity on endpoint perf-gate-1-app-1 (abc): Error starting userland proxy: listen tcp4 127.0.0.1:40000: bind: address already in use',
      'E_PORT_TAKEN',
      'service app',
      'port 40000',
    ],
    ['write /var/lib/docker/x: no space left on device', 'E_DISK_FULL', 'docker compose up', 'disk space'],
    ['Error response from daemon: No such image: app:1', 'E_IMAGE_MISSING', 'app:1', 'not on this machine'],
    [
      'Cannot connect to the Docker daemon at unix:///x',
      'E_ENGINE_DOWN',
      'docker compose up',
      'stopped answering',
    ],
    [
      'required variable DB_PASSWORD is missing a value: ',
      'E_COMPOSE_FILE',
      'stack.compose.env',
      'DB_PASSWORD',
    ],
  ])('%s', (said, code, place, text) => {
    const explained = explainError(said);
    expect(explained).toMatchObject({ code, place });
    expect(explained?.cause).toContain(text);
  });

  it('is not explained where nobody knows what it means', () => {
    expect(explainError('something else')).toBeUndefined();
  });
});
