import fc from 'fast-check';
import { createFixture, type FsFixture } from 'fs-fixture';
import { describe, expect, it, onTestFinished } from 'vitest';
import { faultOf } from '../../test/contract/fault-of.ts';
import type { SharedLoad } from '../model/shared-load.ts';
import { collectLoad } from './collect-load.ts';

const name = 'gate-demo';
/** A whole second, in milliseconds since the epoch. */
const start = 1_795_224_043_000;
const header =
  'metric_name,timestamp,metric_value,check,error_code,expected_response,name,scenario,status,extra_tags,metadata';

interface Sample {
  readonly generator: number;
  readonly endpoint: string;
  readonly endedAtMs: number;
  readonly durationMs: number;
  readonly failed: boolean;
  readonly failedCheck: boolean;
  readonly dropped: boolean;
}

/** The rows that k6 writes for one pass, as far as the gate reads them. */
function rowsOf(
  { generator, endpoint, endedAtMs, durationMs, failed, failedCheck, dropped }: Sample,
  by: By,
): string[] {
  const tags = `instance_id=${by.position}&testrun_name=${by.run}`;
  const row = (metric: string, value: number, { check = '', status = '' } = {}) =>
    `${metric},${1000 * endedAtMs},${value.toFixed(6)},${check},,${!failed},${endpoint},default,${status},${tags},vu=${generator}`;
  return [
    row('http_req_duration', durationMs, { status: failed ? '500' : '200' }),
    ...(failedCheck ? [row('checks', 0, { check: 'has items' })] : []),
    ...(dropped ? [row('dropped_iterations', 1)] : []),
    row('iterations', 1),
  ];
}

interface By {
  readonly position: number;
  readonly run: string;
}

function outputOf(samples: readonly Sample[], by: By): string {
  return `${[header, ...samples.flatMap((one) => rowsOf(one, by))].join('\n')}\n`;
}

function podOf(generator: string, exitCode = 0, reason = 'Completed') {
  const at = (ms: number) => new Date(ms).toISOString().replace('.000Z', 'Z');
  const terminated = { exitCode, reason, startedAt: at(start - 5000), finishedAt: at(start + 60_000) };
  return {
    metadata: { labels: { 'job-name': generator, k6_cr: name, runner: 'true' } },
    spec: { nodeName: `node-${generator.at(-1)}` },
    status: { phase: 'Succeeded', containerStatuses: [{ name: 'k6', state: { terminated } }] },
  };
}

interface Given {
  readonly arrival?: object;
  readonly generators: number;
  readonly outputs: readonly string[];
  readonly pods?: readonly object[];
  readonly more?: Readonly<Record<string, string>>;
}

async function folderWith({ arrival, generators, outputs, pods, more = {} }: Given): Promise<FsFixture> {
  const plan = {
    schema: 1,
    name,
    cell: 'browse@peak',
    service: 'http://shop.default.svc:8080',
    generators,
    vus: 20,
    arrival,
    guardSeconds: 1,
    countedSeconds: 3,
    k6: '2.2.0',
    loadHash: 'abc',
  };
  const all = Array.from({ length: generators }, (_, index) => podOf(`${name}-${index + 1}`));
  const fixture = await createFixture({
    'generator.json': JSON.stringify(plan),
    'pods.json': JSON.stringify({ items: pods ?? all }),
    results: {
      ...Object.fromEntries(outputs.map((text, index) => [`${name}-${index + 1}.csv`, text])),
      // Of another load on the same claim.
      'gate-old-1.csv': header,
    },
    ...more,
  });
  return fixture;
}

async function collect(given: Given): Promise<SharedLoad> {
  const fixture = await folderWith(given);
  try {
    return await collectLoad(fixture.path, 'here');
  } finally {
    await fixture.rm();
  }
}

const sample = (generator: number, more: Partial<Sample> = {}): Sample => ({
  generator,
  endpoint: 'items',
  endedAtMs: start + 2000 + generator,
  durationMs: 10,
  failed: false,
  failedCheck: false,
  dropped: false,
  ...more,
});
const first = (generator: number, beganAtMs = start) =>
  sample(generator, { endedAtMs: beganAtMs + 10 + generator, durationMs: 10 + generator });
const outputs = (...positions: readonly number[]) =>
  positions.map((position) => outputOf([first(position), sample(position)], { position, run: name }));

describe('the samples of several generators', () => {
  it('have the figures of one generator that writes the same samples', async () => {
    const arbitrary = fc.record({
      generator: fc.integer({ min: 1, max: 4 }),
      endpoint: fc.constantFrom('items', 'item', 'buy'),
      endedAtMs: fc.integer({ min: start, max: start + 5000 }),
      durationMs: fc.double({ min: 0.001, max: 3000, noNaN: true }),
      failed: fc.boolean(),
      failedCheck: fc.boolean(),
      dropped: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(arbitrary, { minLength: 8, maxLength: 120 }), async (unsorted) => {
        const samples = unsorted.toSorted((a, b) => a.endedAtMs - b.endedAtMs || a.generator - b.generator);
        const parts = [1, 2, 3, 4].map((position) =>
          outputOf(
            samples.filter(({ generator }) => generator === position),
            { position, run: name },
          ),
        );
        const one = await collect({
          generators: 1,
          outputs: [outputOf(samples, { position: 1, run: name })],
        });
        const four = await collect({ generators: 4, outputs: parts });
        const figures = ({ requests, errors, iterations, tps, latency, endpoints }: SharedLoad) => ({
          requests,
          errors,
          iterations,
          tps,
          latency,
          endpoints,
        });
        expect(figures(four)).toEqual(figures(one));
        expect(four.generators.reduce((sum, { requests }) => sum + requests, 0)).toBe(samples.length);
      }),
      { numRuns: 40 },
    );
  });

  it('are valid if all generators ended well, and say where each ran', async () => {
    const { generators, requests, invalid } = await collect({ generators: 4, outputs: outputs(1, 2, 3, 4) });
    expect(invalid).toEqual([]);
    expect(requests).toBe(4);
    expect(generators[2]).toEqual({
      name: 'gate-demo-3',
      node: 'node-3',
      end: 'finished',
      requests: 2,
      failed: 0,
      startedAt: new Date(start).toISOString(),
    });
  });
});

it('a load whose generators let too few passes begin is invalid', async () => {
  const given = { generators: 2, outputs: outputs(1, 2) };
  const { invalid } = await collect({ ...given, arrival: { perSecond: 40, seconds: 4.5 } });
  expect(invalid.map(({ code }) => code)).toEqual(['I_PASSES_MISSING']);
  expect((await collect({ ...given, arrival: { perSecond: 0.8, seconds: 4.5 } })).invalid).toEqual([]);
});

describe('a load is invalid, and names the generator,', () => {
  const three = outputs(1, 2, 3);
  const pods = [1, 2, 3].map((position) => podOf(`${name}-${position}`));

  it.each([
    ['whose pod and results are missing', three, pods, 'generator 4 of 4 (gate-demo-4): its pod is missing'],
    [
      'whose results are missing',
      three,
      [...pods, podOf('gate-demo-4')],
      'generator 4 of 4 (gate-demo-4 on node-4): its results are missing or cut off',
    ],
    [
      'whose results end within a row',
      [...three, outputs(4)[0]?.slice(0, -9) ?? ''],
      [...pods, podOf('gate-demo-4')],
      'its results are missing or cut off',
    ],
    [
      'that sent no request',
      [...three, `${header}\nvus,${1000 * start},5.0,,,,,,,instance_id=4&testrun_name=${name},\n`],
      [...pods, podOf('gate-demo-4')],
      'generator 4 of 4 (gate-demo-4 on node-4): it sent no request',
    ],
    [
      'that was killed',
      outputs(1, 2, 3, 4),
      [...pods, podOf('gate-demo-4', 137, 'OOMKilled')],
      'generator 4 of 4 (gate-demo-4 on node-4): OOMKilled, killed by SIGKILL',
    ],
    [
      'that never ran',
      three,
      [...pods, { ...podOf('gate-demo-4'), status: { phase: 'Failed', reason: 'Evicted' } }],
      'generator 4 of 4 (gate-demo-4 on node-4): Evicted',
    ],
    [
      'that ran twice',
      outputs(1, 2, 3, 4),
      [...pods, podOf('gate-demo-4'), podOf('gate-demo-4')],
      'it ran 2 times',
    ],
  ])('%s', async (_, given, listed, cause) => {
    const { invalid } = await collect({ generators: 4, outputs: given, pods: listed });
    expect(invalid.map(({ code }) => code)).toEqual(['I_GENERATOR_END']);
    expect(invalid[0]?.cause).toContain(cause);
  });

  it('that began after the others had ramped up', async () => {
    const late = outputOf([first(4, start + 1900), sample(4)], { position: 4, run: name });
    const { invalid } = await collect({ generators: 4, outputs: [...three, late] });
    expect(invalid.map(({ code }) => code)).toEqual(['I_GENERATOR_START']);
    expect(invalid[0]?.cause).toMatch(/^gate-demo-4 began 1\.9 s after the first generator/);
  });

  it('and the first error of its log', async () => {
    const log = '{"level":"error","msg":"thread 1 panicked","time":"2026-11-21T00:00:00Z"}\n';
    const fixture = await folderWith({
      generators: 4,
      outputs: outputs(1, 2, 3, 4),
      pods: [...pods, podOf('gate-demo-4', 107, 'Error')],
    });
    onTestFinished(() => fixture.rm());
    await fixture.writeFile('results/gate-demo-4.log', log);
    const { invalid } = await collectLoad(fixture.path, 'here');
    expect(invalid[0]?.cause).toContain('threw an exception outside of an iteration (exit code 107)');
    expect(invalid[0]?.cause).toContain('thread 1 panicked');
  });
});

describe('it refuses', () => {
  const faultWith = async (given: Given) => faultOf(collect(given));

  it('results of another TestRun', async () => {
    const other = outputOf([first(2)], { position: 2, run: 'gate-other' });
    expect(await faultWith({ generators: 2, outputs: [...outputs(1), other] })).toMatchObject({
      code: 'E_GENERATOR_FOREIGN',
      kind: 'usage',
      place: expect.stringMatching(/results\/gate-demo-2\.csv$/),
      cause: 'it holds the samples of generator 2 of gate-other and is not part of the load gate-demo',
    });
  });

  it('results of another generator', async () => {
    const [one = ''] = outputs(1);
    const { cause } = await faultWith({ generators: 2, outputs: [one, one] });
    expect(cause).toContain('the samples of generator 1 of gate-demo');
  });

  it('results of an earlier run with the same name', async () => {
    const old = outputOf([first(2, start - 3_600_000)], { position: 2, run: name });
    const { code, cause } = await faultWith({ generators: 2, outputs: [...outputs(1), old] });
    expect(code).toBe('E_GENERATOR_FOREIGN');
    expect(cause).toContain('when its pod did not run');
  });

  it('more results than generators, and pods of others', async () => {
    const tooMany = await faultWith({ generators: 2, outputs: outputs(1, 2, 3) });
    expect(tooMany).toMatchObject({
      code: 'E_GENERATOR_FOREIGN',
      place: expect.stringMatching(/gate-demo-3\.csv$/),
    });
    const pods = [podOf('gate-demo-1'), podOf('gate-old-2')];
    expect(await faultWith({ generators: 2, outputs: outputs(1, 2), pods })).toMatchObject({
      code: 'E_GENERATOR_FOREIGN',
      place: 'pods.json',
      cause: 'it lists gate-old-2, which is not part of the load gate-demo',
    });
  });

  it.each([
    ['that does not exist', undefined, 'the file does not exist'],
    ['that is no JSON', 'No resources found', 'it is no list of pods'],
    [
      'with a pod that still runs',
      JSON.stringify({ items: [{ ...podOf('gate-demo-1'), status: { phase: 'Running' } }] }),
      'gate-demo-1 has not ended',
    ],
  ])('a list of pods %s', async (_, text, cause) => {
    const fixture = await folderWith({ generators: 1, outputs: outputs(1) });
    onTestFinished(() => fixture.rm());
    if (text === undefined) await fixture.rm('pods.json');
    else await fixture.writeFile('pods.json', text);
    expect(await faultOf(collectLoad(fixture.path, 'here'))).toMatchObject({
      code: 'E_GENERATOR_PODS',
      cause,
    });
  });

  it('a folder that it did not write', async () => {
    const fixture = await createFixture({});
    onTestFinished(() => fixture.rm());
    expect(await faultOf(collectLoad(fixture.path, 'here'))).toMatchObject({
      code: 'E_GENERATOR_PLAN',
      place: 'here/generator.json',
    });
  });
});
