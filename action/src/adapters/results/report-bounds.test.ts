import { expect, it } from 'vitest';
import { buildRun } from '../../../test/contract/run-builder.ts';
import { invalidReasons } from '../../measure/block-validity.ts';
import type { LoadEnd } from '../../measure/ports.ts';
import { Recorder } from '../../measure/recorder.ts';
import type { Run } from '../../model/run.ts';
import { K6Samples } from '../k6/samples.ts';
import { excess } from './report-bounds.ts';
import { parseReportFile } from './report-file.ts';

const run = buildRun(1);
const [cell] = run.cells;
const [block] = cell?.blocks ?? [];
const many = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));
const report = (more: Partial<Run> = {}) => ({
  schema: 3,
  vuFactor: 1,
  seconds: 1,
  run: { ...run, ...more },
});
const withBlock = (more: object) =>
  report({ cells: [{ ...cell, blocks: [{ ...block, ...more }] }] as Run['cells'] });
const reason = { code: 'I_STEAL', cause: 'c', nextStep: 'n' };
const failed: LoadEnd = { kind: 'failed', exitCode: 107, signal: null, meaning: 'an exception' };
const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);

it('accepts the largest report that a suite can make', () => {
  const large = report({
    cells: many(200, (index) => ({
      ...cell,
      load: `l${index}`,
      blocks: many(100, () => block),
    })) as Run['cells'],
    invalid: many(50, () => reason),
  });
  expect(excess(large)).toBeUndefined();
  expect(parseReportFile(JSON.stringify(report()), 'p').run.id).toBe(run.id);
});

it('accepts the longest texts that the gate keeps from a script', () => {
  const recorder = new Recorder(0, 1_000);
  const samples = new K6Samples(recorder);
  const name = (index: number) => `${index}${'x'.repeat(5_000)}`;
  const ended = (metric: string, tags: string) => `${metric},1000000000,20.0,${tags},,vu=1\n`;
  samples.feed(
    Buffer.from(
      [
        'metric_name,timestamp,metric_value,check,error_code,expected_response,name,scenario,status,extra_tags,metadata\n',
        ...many(600, (index) => ended('http_req_duration', `,,false,${name(index)},default,500`)),
        ...many(600, (index) =>
          ended('checks', `${name(index)},,,${name(0)},default,500`).replace('20.0', '0'),
        ),
        ended('data_sent', ',,,,default,'),
        `data_sent,1000500000,75.0,,,,,default,,,vu=1\n`,
      ].join(''),
    ),
  );
  samples.end();
  recorder.exception(1_000_000);
  const recording = recorder.finish();
  expect(recording.endpoints).toHaveLength(502);
  const missing = many(50, name);
  const result = { end: failed, exceptions: 9, errors: [name(0), ...samples.failures()] };
  const shares = { generatorCpuShare: 1, stealShare: 1, othersCpuShare: 1, clockStepSeconds: 0 };
  const limits = { generatorCpuShare: 0, stealShare: 0, othersCpuShare: 0 };
  const invalid = result.errors.flatMap((error) =>
    invalidReasons(
      { endpoints: missing, countedSeconds: 1_000 },
      recording,
      { ...result, errors: [error] },
      shares,
      limits,
    ),
  );
  const largest = withBlock({ endpoints: recording.endpoints, invalid: invalid.slice(0, 50) });
  expect(excess(largest)).toBeUndefined();
  expect(parseReportFile(JSON.stringify(largest), 'p').run.cells[0]?.blocks[0]?.endpoints).toHaveLength(502);
});

it.each([
  ['cells', report({ cells: many(201, () => cell) as Run['cells'] }), /^run\.cells: more than 200/],
  [
    'blocks',
    report({ cells: [{ ...cell, blocks: many(101, () => block) }] as Run['cells'] }),
    /blocks: more than 100/,
  ],
  ['endpoints', withBlock({ endpoints: many(503, () => ({})) }), /endpoints: more than 502/],
  ['reasons of a block', withBlock({ invalid: many(51, () => reason) }), /invalid: more than 50/],
  ['reasons of the run', report({ invalid: many(51, () => reason) }), /run\.invalid: more than 50/],
  [
    'versions',
    report({
      fingerprint: {
        ...run.fingerprint,
        versions: Object.fromEntries(many(51, (index) => [`v${index}`, '1'])),
      },
    }),
    /versions: more than 50/,
  ],
  [
    'unknown fields',
    { ...report(), ...Object.fromEntries(many(51, (index) => [`f${index}`, 1])) },
    /report: more than 50/,
  ],
  ['a text', report({ suite: 'x'.repeat(1_001) }), /run\.suite: longer than 1000/],
  ['a name', withBlock({ signals: { ['x'.repeat(1_001)]: 1 } }), /a name longer than 1000/],
  ['levels', { a: deep(1_000) }, /levels deep/],
])('refuses too many entries or too long text: %s', (_, data, place) => {
  expect(excess(data)).toMatch(place);
  expect(() => parseReportFile(JSON.stringify(data), 'p')).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ code: 'E_REPORT_CORRUPT' }) }),
  );
});

it('refuses megabytes of any content', { timeout: 600_000 }, () => {
  const bytes = 2 * 1024 * 1024;
  for (const text of [
    '['.repeat(bytes / 2) + ']'.repeat(bytes / 2),
    `{"cells":[${'{},'.repeat(bytes / 3 - 10)}{}]}`,
    `{"a":"${'x'.repeat(bytes - 10)}"}`,
    `{${many(100_000, (index) => `"k${index}":1`).join()}}`,
  ]) {
    expect(() => parseReportFile(text, 'p')).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ code: 'E_REPORT_CORRUPT' }) }),
    );
  }
});
