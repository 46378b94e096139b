import { writeSync } from 'node:fs';
import { K6Samples } from '../../adapters/k6/index.ts';
import { Recorder } from '../../measure/index.ts';

/**
 * Runs in a process of its own for `gate bench`: reads the given number of requests in k6's output format, and prints
 * its memory and the time per request.
 */
const requests = Number(process.argv[2]);
const endpoints = 12;
const users = 100;
const startMicros = 1_790_000_000_000_000;
const columns =
  'metric_name,timestamp,metric_value,check,error_code,expected_response,name,scenario,status,extra_tags,metadata\n';
/** k6 2.2 writes one row per metric for each request. */
const metrics = [
  'http_reqs',
  'http_req_duration',
  'http_req_blocked',
  'http_req_connecting',
  'http_req_tls_handshaking',
  'http_req_sending',
  'http_req_waiting',
  'http_req_receiving',
  'http_req_failed',
];

/** The same chunk is read again and again, because creating new text would take longer than reading it. */
const chunkRequests = 500;
const chunk = Buffer.from(
  Array.from({ length: chunkRequests }, (_, index) => {
    // Times from 0.5 ms to some seconds fill the histograms as a real run does.
    const ms = Math.exp(((index * 7919) % 1000) / 110) / 2;
    // Each request begins later than the one before, so the block counts all of them.
    const micros = startMicros + index * 500 + Math.round(ms * 1000);
    return metrics
      .map(
        (metric) =>
          `${metric},${micros},${ms.toFixed(6)},,,true,endpoint-${index % endpoints},default,200,,vu=${index % users}\n`,
      )
      .join('');
  }).join(''),
);

const recorder = new Recorder(0, 3600);
const samples = new K6Samples(recorder);
samples.feed(Buffer.from(columns));
const from = process.cpuUsage();
for (let done = 0; done < requests; done += chunkRequests) samples.feed(chunk);
const used = process.cpuUsage(from);
const recording = recorder.finish();
writeSync(
  1,
  JSON.stringify({
    requests: recording.requests,
    rssBytes: process.memoryUsage.rss(),
    microsPerRequest: (used.user + used.system) / requests,
  }),
);
