import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { createFixture } from 'fs-fixture';
import { markdownTable } from 'markdown-table';
import { mean, sampleVariance } from 'simple-statistics';
import { createK6 } from '../../src/adapters/k6/index.ts';
import { type LoadSpec, Recorder, type Recording } from '../../src/measure/index.ts';
import { marginSeconds } from '../../src/model/config.ts';
import { studentQuantile } from '../../src/stats/index.ts';
import { findK6 } from '../contract/find-k6.ts';

/**
 * Compares 1 with 4 local generators under the same load: `npm run bench-generators`. Pairs of blocks on a service of 5 ms,
 * with the order turned round in every second pair. Prints the ratio of each figure with its interval; the intervals hold
 * for all figures at once. Ends with 1 if a figure differs.
 */
const { values: flags } = parseArgs({ options: { pairs: { type: 'string', default: '12' } } });
const pairs = Number(flags.pairs);
const [guardSeconds, countedSeconds, vus] = [2, 4, 20];
const confidence = 0.95;

const service = `
const { createServer } = require('node:http');
createServer((_, response) => setTimeout(() => response.end('x'.repeat(2000)), 5)).listen(0, '127.0.0.1', function () {
  console.log(this.address().port);
});`;
const script = `
import http from 'k6/http';
import { sleep } from 'k6';
export default function () {
  http.get(__ENV.BASE_URL + '/items', { tags: { name: 'items' } });
  sleep(0.05 + Math.random() / 20);
}`;

const figures: Readonly<Record<string, (recording: Recording) => number>> = {
  'requests per second': ({ tps }) => tps,
  requests: ({ requests }) => requests,
  iterations: ({ iterations }) => iterations,
  'mean ms': ({ latency }) => latency.meanMs,
  'p50 ms': ({ latency }) => latency.p50Ms,
  'p90 ms': ({ latency }) => latency.p90Ms,
  'p95 ms': ({ latency }) => latency.p95Ms,
  'p99 ms': ({ latency }) => latency.p99Ms,
};

async function block(generators: number, load: LoadSpec): Promise<Recording> {
  const recorder = new Recorder(guardSeconds, countedSeconds);
  const { done } = createK6({ binary: findK6(), generators }).start(
    load,
    recorder,
    new AbortController().signal,
  );
  const { end } = await done;
  if (end.kind !== 'finished') throw new Error(`the load ended with ${JSON.stringify(end)}`);
  return recorder.finish();
}

/** Ratio of the geometric means, with an interval by Student's t over the pairs (Bonferroni over the figures). */
function ratioOf(logs: readonly number[]): {
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
} {
  const middle = mean(logs);
  const chance = 1 - (1 - confidence) / 2 / Object.keys(figures).length;
  const reach = studentQuantile(chance, logs.length - 1) * Math.sqrt(sampleVariance(logs) / logs.length);
  return { ratio: Math.exp(middle), low: Math.exp(middle - reach), high: Math.exp(middle + reach) };
}

const server = spawn(process.execPath, ['-e', service], { stdio: ['ignore', 'pipe', 'inherit'] });
const fixture = await createFixture({ 'script.js': script });
try {
  const [port] = await once(server.stdout, 'data');
  const load: LoadSpec = {
    script: fixture.getPath('script.js'),
    stages: [
      { seconds: 0, vus: 1 },
      { seconds: 1, vus },
      { seconds: guardSeconds - 1 + countedSeconds + marginSeconds, vus },
    ],
    env: { BASE_URL: `http://127.0.0.1:${Number(port)}` },
  };
  const taken: { readonly one: Recording; readonly four: Recording }[] = [];
  let errors = 0;
  for (let pair = 0; pair < pairs; pair++) {
    const turned = pair % 2 === 1;
    const first = await block(turned ? 4 : 1, load);
    const second = await block(turned ? 1 : 4, load);
    taken.push(turned ? { one: second, four: first } : { one: first, four: second });
    errors += first.errors + second.errors;
  }
  const rows = Object.entries(figures).map(([name, read]) => {
    const meanOf = (side: 'one' | 'four') => mean(taken.map((pair) => read(pair[side])));
    const { ratio, low, high } = ratioOf(taken.map(({ one, four }) => Math.log(read(four) / read(one))));
    const agrees = low <= 1 && high >= 1;
    if (!agrees) process.exitCode = 1;
    return [
      name,
      ...[meanOf('one'), meanOf('four')].map((value) => value.toPrecision(4)),
      `${ratio.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`,
      agrees ? 'yes' : 'no',
    ];
  });
  const header = ['figure', '1 generator', '4 generators', 'ratio', 'agrees'];
  const table = markdownTable([header, ...rows], { align: ['l', 'r', 'r', 'r', 'l'] });
  process.stdout.write(`${pairs} pairs, ${errors} errors\n\n${table}\n`);
} finally {
  server.kill();
  await fixture.rm();
}
