import { writeSync } from 'node:fs';
import { K6Samples } from '../../adapters/k6/index.ts';
import { Recorder } from '../../measure/index.ts';

/**
 * A process of its own for `bench`: reads the given number of requests as k6 prints them and tells its memory and
 * what a request cost.
 */
const requests = Number(process.argv[2]);
const endpoints = 12;
const users = 100;
const startMicros = 1_790_000_000_000_000;
const columns =
  'metric_name,timestamp,metric_value,check,error_code,expected_response,name,scenario,status,extra_tags,metadata\n';
/** The rows of a request as k6 2.2 writes them with the tags that the gate asks for. */
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

/** One chunk, read again and again: making new text all the time would be measured instead of reading it. */
const chunkRequests = 500;
const chunk = Buffer.from(
  Array.from({ length: chunkRequests }, (_, index) => {
    // Times from 0.5 ms to some seconds, so that the histograms reach the size they have in use.
    const ms = Math.exp(((index * 7919) % 1000) / 110) / 2;
    // All begin one after the other, so that the block counts each of them.
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
