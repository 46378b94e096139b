import { once } from 'node:events';
import { readFile, symlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { createFixture, type FsFixture } from 'fs-fixture';
import { expect, it } from 'vitest';
import { createSystemClock } from '../../src/adapters/host/system-clock.ts';
import { createProcessStack } from '../../src/adapters/process/stack.ts';
import type { Stack } from '../../src/measure/ports.ts';
import type { ProcessStackConfig } from '../../src/model/config.ts';
import { faultOf } from './fault-of.ts';

const ofService = 'hunter2-of-the-service';
const ofBacking = 'hunter2-of-the-database';
const ofUser = 'hunter2-of-the-user';

function configOf(service: string, more: Partial<ProcessStackConfig> = {}): ProcessStackConfig {
  return {
    root: '.',
    build: [],
    backingMetrics: [],
    service: {
      command: ['sh', '-c', service],
      env: { APP_PASSWORD: ofService },
      ports: {},
      url: 'http://127.0.0.1:9',
      ready: { url: 'http://127.0.0.1:9', within: 60 },
      stopWithin: 1,
    },
    ...more,
  };
}

function stackOf(fixture: FsFixture, config: ProcessStackConfig): Stack {
  return createProcessStack({
    config,
    root: fixture.path,
    cacheDirectory: fixture.path,
    workDirectory: fixture.getPath('work'),
    logDirectory: fixture.getPath('logs'),
    env: { PATH: process.env.PATH, NPM_TOKEN: ofUser },
    clock: createSystemClock(),
    note: () => undefined,
  });
}

/** Boots a stack that must fail, and returns its Fault and its logs. */
async function failingBoot(config: ProcessStackConfig) {
  const fixture = await createFixture();
  const stack = stackOf(fixture, config);
  const signal = AbortSignal.timeout(300_000);
  try {
    const fault = await faultOf(
      stack
        .prepare(signal)
        .then(() => stack.up(signal))
        .then(() => stack.boot(signal)),
    );
    const log = async (name: string) => await readFile(fixture.getPath(`logs/${name}`), 'utf8');
    return { fault, log, tail: stack.logTail(30), [Symbol.asyncDispose]: () => fixture.rm() };
  } finally {
    await stack.down();
  }
}

it('shows and stores no secret of the service, its backing services or its user', async () => {
  const ready = JSON.stringify({ ready: true, env: { DB_PASSWORD: ofBacking } });
  await using failed = await failingBoot(
    configOf('echo as $APP_PASSWORD with $DB_PASSWORD and $NPM_TOKEN; exit 1', {
      backing: {
        command: ['sh', '-c', `echo '${ready}'; while read -r line; do :; done`],
        env: {},
        readyWithin: 60,
      },
    }),
  );
  expect(failed.fault.code).toBe('E_SERVICE_BOOT');
  expect(failed.fault.logTail).toEqual(['as *** with *** and ***']);
  expect(failed.tail).toEqual(['as *** with *** and ***']);
  await expect.poll(() => failed.log('service.log')).toBe('as *** with *** and ***\n');
});

it('gives the backing services variables of their own', async () => {
  await using failed = await failingBoot(
    configOf('echo with $FOLDER; exit 1', {
      backing: {
        command: [
          'sh',
          '-c',
          'echo "{\\"ready\\":true,\\"env\\":{\\"FOLDER\\":\\"$OPTIONS\\"}}"; read -r line',
        ],
        env: { OPTIONS: 'work=${WORK_DIR}' },
        readyWithin: 60,
      },
    }),
  );
  expect(failed.fault.logTail?.join()).toMatch(/^with work=\/.+/);
});

it('shows and stores no secret that a build step or a failing backing command prints', async () => {
  await using build = await failingBoot(
    configOf('true', {
      build: [{ command: ['sh', '-c', 'echo $NPM_TOKEN; exit 1'], inputs: [], outputs: ['x'] }],
    }),
  );
  expect(build.fault).toMatchObject({ code: 'E_BUILD', logTail: ['***'] });
  // Its last lines may be written after the stack went down.
  await expect.poll(() => build.log('build.log')).toBe('***\n');

  const failure = { code: 'E_DB', message: `no ${ofUser}`, logTail: [`tail ${ofUser}`] };
  await using backing = await failingBoot(
    configOf('true', {
      backing: {
        command: ['sh', '-c', `echo '${JSON.stringify({ ready: false, error: failure })}'`],
        env: {},
        readyWithin: 60,
      },
    }),
  );
  expect(backing.fault).toMatchObject({ code: 'E_DB', cause: 'no ***', logTail: ['tail ***'] });
});

it('survives a check that is cancelled while its backing services start', async () => {
  await using fixture = await createFixture();
  const stack = stackOf(
    fixture,
    configOf('true', {
      backing: { command: ['sh', '-c', 'read -r line; exit 1'], env: {}, readyWithin: 60 },
    }),
  );
  const unhandled: unknown[] = [];
  const onUnhandled = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', onUnhandled);
  try {
    const abort = new AbortController();
    await stack.prepare(abort.signal);
    const up = stack.up(abort.signal);
    abort.abort(new Error('cancelled'));
    await expect(up).rejects.toThrow('cancelled');
    await stack.down();
    // Node reports unhandled rejections at the end of the current turn.
    await setImmediate();
    expect(unhandled).toEqual([]);
  } finally {
    process.off('unhandledRejection', onUnhandled);
  }
});

it('shows no part of a secret that the limit of a message cuts', async () => {
  const padding = 'x'.repeat(200 - ofUser.length / 2);
  await using failed = await failingBoot(
    configOf('true', {
      backing: { command: ['sh', '-c', `echo ${padding}$NPM_TOKEN; read -r line`], env: {}, readyWithin: 60 },
    }),
  );
  expect(failed.fault.code).toBe('E_BACKING_PROTOCOL');
  expect(failed.fault.cause).toContain('x***');
  expect(failed.fault.cause).not.toContain(ofUser.slice(0, 4));
});

it('reads the CPU time of its backing services by program, and their memory', async () => {
  await using fixture = await createFixture();
  const server = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // A program takes its name from the link that starts it.
  const database = fixture.getPath('database');
  await symlink('/bin/sh', database);
  const work = 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done; echo \'{"ready":true}\'; read -r line';
  const { service, ...config } = configOf('exec sleep 600', {
    backing: { command: ['sh', '-c', '"$0" -c "$1"; :', database, work], env: {}, readyWithin: 60 },
  });
  const stack = stackOf(fixture, { ...config, service: { ...service, url, ready: { url, within: 60 } } });
  const signal = AbortSignal.timeout(300_000);
  try {
    await stack.prepare(signal);
    await stack.up(signal);
    const booted = await stack.boot(signal);
    expect(booted.readBackingCpuSeconds?.().database).toBeGreaterThan(0);
    expect(booted.readUsage().backing?.cpuSeconds).toBeGreaterThan(0);
    expect(booted.readUsage().backing?.rssBytes).toBeGreaterThan(100_000);
  } finally {
    await stack.down();
    server.close();
  }
});
