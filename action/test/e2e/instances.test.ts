import { readdir, readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Staircase } from '../../src/model/staircase.ts';
import type { Sweep } from '../../src/model/sweep.ts';
import { processesMentioning, TinyProject } from './gate.ts';
import { lackOfTool } from './tool.ts';

const lacksBalancer = lackOfTool('haproxy', 'experiments with several instances', '-v') !== undefined;

/** Answers one request after the other, so that an instance has a throughput of its own on any machine. */
const oneAtATime = `
let turn = Promise.resolve();
function inTurn(answer, ms) {
  turn = turn.then(() => new Promise((next) => setTimeout(() => next(answer()), ms)));
}`;

/** Asked for it, an instance takes no more connections, and goes on running. */
const loses = `if (path === '/lose') {
    server.close();
    setInterval(() => server.closeAllConnections(), 100);
  }`;

let project: TinyProject;

beforeEach(async () => {
  project = await TinyProject.create();
});

afterEach(async () => {
  expect(await processesMentioning(project.fixture.path)).toEqual([]);
  await project.fixture.rm();
});

/** Adds to the service. */
const extend = (text: string) =>
  project.edit("from 'node:http';", `from 'node:http';\n${text}`, 'server.mjs');

async function result<Result>(name: string): Promise<Result> {
  const results = join(project.fixture.path, '.perf-gate/results');
  const newest = (await readdir(results)).sort().at(-1) ?? '';
  return JSON.parse(await readFile(join(results, newest, name), 'utf8'));
}

describe.skipIf(lacksBalancer)('experiments with several instances', () => {
  it('compare one with two, and say how they scale', async () => {
    await extend(oneAtATime);
    await project.edit(
      'setTimeout(() => response.end(path),',
      'inTurn(() => response.end(path),',
      'server.mjs',
    );
    const { code, stdout, stderr } = await project.run([
      ...['sweep', 'browse@more', '--config', 'gate.yml', '--instances', '1,2'],
      ...['--passes', '2', '--minutes', '1'],
    ]);
    expect(code, stderr).toBe(0);
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /^Sweep of instances with browse@more: 2 instances answer \d\.\d\d times as many requests as 1 \[/,
    );
    expect(stderr).toMatch(/HAProxy at http:\S+ in front of instance 1 at http:\S+, instance 2 at http:/);
    const crowded = 'Several instances share the cores of this machine';
    expect(stderr.split(crowded).length - 1).toBe(availableParallelism() > 2 ? 0 : 1);
    const { variants, best } = await result<Sweep>('sweep.json');
    expect(best).toBe(1);
    expect(variants.map(({ boots }) => boots.length)).toEqual([2, 2]);
    // Half as many, but two short boots of a busy machine need not prove it.
    expect(variants[0]?.contrast?.change).toBeLessThan(-0.25);
  });

  it('keep what was measured if the balancer loses an instance, which they name', async () => {
    await project.edit('if (failing) {', `${loses}\n  if (failing) {`, 'server.mjs');
    const running = project.start([
      ...['staircase', '--config', 'gate.yml', '--users', '2,4,8', '--all', '--instances', '2'],
      ...['--precision', '50%'],
    ]);
    await running.printed(/browse with 4 users/);
    const second = /instance 2 at (http:\S+)/.exec(running.stderr())?.[1];
    await fetch(`${second}/lose`);
    const { code, stdout, stderr } = await running.done;
    expect(code, stderr).toBe(3);
    expect(stderr).toMatch(/error\[E_INSTANCE_LOST\].*the balancer lost instance 2 of 2/s);
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /Not all steps were measured: the balancer lost instance 2 of 2 \(http:\/\/127\.0\.0\.1:/,
    );
    const { steps, partial } = await result<Staircase>('staircase.json');
    expect(steps[0]?.users).toBe(2);
    expect(partial).toMatch(/the balancer lost instance 2/);
  });
});
