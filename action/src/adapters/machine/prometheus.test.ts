import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createPrometheusReader, parsePrometheusText } from './prometheus.ts';

describe('parsePrometheusText', () => {
  it('reads names, labels and values, and skips comments and timestamps', () => {
    const text = [
      '# HELP jvm_info JVM version info',
      '# TYPE jvm_info gauge',
      'jvm_info{runtime="OpenJDK",version="25.0.3+9"} 1',
      'http_requests_total{path="/a\\"b\\\\c",method="GET"} 1.5E3 1700000000000',
      'plain 7',
      'up{} 1',
      '',
    ].join('\n');
    expect(parsePrometheusText(text)).toEqual([
      { name: 'jvm_info', labels: { runtime: 'OpenJDK', version: '25.0.3+9' }, value: 1 },
      { name: 'http_requests_total', labels: { path: '/a"b\\c', method: 'GET' }, value: 1500 },
      { name: 'plain', labels: {}, value: 7 },
      { name: 'up', labels: {}, value: 1 },
    ]);
  });

  it('skips values that are not finite', () => {
    expect(parsePrometheusText('a NaN\nb +Inf\nc -Inf\nd x\ne 1\nnonsense')).toEqual([
      { name: 'e', labels: {}, value: 1 },
    ]);
  });
});

describe('createPrometheusReader', () => {
  it('keeps no connection, because the server may close an idle one just as it is used again', async () => {
    const asked: (string | undefined)[] = [];
    const server = createServer(({ headers }, response) => {
      asked.push(headers.connection);
      response.end('up 1');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await createPrometheusReader().scrape(url, new AbortController().signal);
    expect(asked).toEqual(['close']);
  });
});
