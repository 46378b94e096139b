import { describe, expect, it } from 'vitest';
import { Leftovers } from '../host/leftovers.ts';
import type { Container } from './containers.ts';
import { Diagnosis } from './diagnosis.ts';
import { DockerCli } from './docker.ts';
import { Expectations } from './expectations.ts';
import { explainContainer, explainError } from './explain.ts';

function container(service: string, details: Partial<Container> = {}): Container {
  return {
    id: service,
    service,
    image: `${service}:1`,
    status: 'running',
    health: undefined,
    probe: '',
    number: 1,
    isOneOfSeveral: false,
    outOfMemory: false,
    memoryLimit: 0,
    exitCode: 0,
    error: '',
    restarts: 0,
    pid: 7,
    startedAt: '2026-01-01T00:00:00Z',
    finishedAt: '0001-01-01T00:00:00Z',
    address: undefined,
    published: new Map(),
    ...details,
  };
}

const ended = (exitCode: number, second: number): Partial<Container> => ({
  status: 'exited',
  exitCode,
  finishedAt: `2026-01-01T00:00:0${second}Z`,
});

it('reports a timeout even if all services became ready meanwhile', async () => {
  const expectations = new Expectations({ oneShot: new Set(), lasting: new Set(['db']) }, ['app']);
  // The diagnosis reads no log, because no container is to blame.
  const docker = new DockerCli({}, new Leftovers('/nonexistent/containers.json'));
  const ready = [container('db', { health: 'healthy' })];
  const diagnosis = new Diagnosis(docker, expectations, { containers: async () => ready });
  const fault = await diagnosis.ofTimeout(ready, ['db'], 4);
  expect(fault.details).toMatchObject({
    code: 'E_STACK_TIMEOUT',
    place: 'docker compose up',
    cause: 'the command did not return within 4 s, although its services became ready just after',
    logTail: [],
  });
});

describe('the first failed container', () => {
  const expectations = new Expectations({ oneShot: new Set(['data']), lasting: new Set(['db']) }, ['app']);

  it.each([
    ['running', {}],
    ['healthy', { health: 'healthy' }],
    ['still starting', { health: 'starting' }],
    ['not started', { status: 'created' }],
  ])('is never one that is %s', (_, details) => {
    expect(
      expectations.firstFailed([container('db', details), container('data', ended(0, 1))]),
    ).toBeUndefined();
  });

  it.each([
    ['ended, even with exit code 0', ended(0, 1)],
    ['could not be started', { status: 'created', error: 'no such file' }],
    ['restarts repeatedly', { status: 'restarting' }],
    ['was restarted', { restarts: 1 }],
    ['lost a process because memory ran out', { outOfMemory: true }],
    ['fails its health check', { health: 'unhealthy' }],
  ])('is one that %s', (_, details) => {
    expect(expectations.firstFailed([container('db', details)])?.service).toBe('db');
  });

  it('is never one that may end, unless it ran when the load began', () => {
    const job = container('job');
    const done = { ...job, ...ended(0, 1) };
    expect(expectations.firstFailed([done])).toBeUndefined();
    expect(expectations.firstFailed([{ ...job, ...ended(1, 1) }])?.service).toBe('job');
    expect(expectations.firstFailed([{ ...done, health: 'starting' }])?.service).toBe('job');
    const later = new Expectations({ oneShot: new Set(), lasting: new Set() }, []);
    later.loadBegins([done]);
    expect(later.firstFailed([done])).toBeUndefined();
    later.loadBegins([job]);
    expect(later.firstFailed([done])?.service).toBe('job');
  });

  it('is the one that ended first, because the others depend on it', () => {
    const all = [
      container('app', { health: 'unhealthy' }),
      container('cache', ended(1, 3)),
      container('data', ended(3, 2)),
    ];
    expect(expectations.firstFailed(all)?.service).toBe('data');
  });
});

describe('the explanation of a failed container', () => {
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

describe('the explanation of a message of Docker', () => {
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

  it('is missing for an unknown message', () => {
    expect(explainError('something else')).toBeUndefined();
  });
});
