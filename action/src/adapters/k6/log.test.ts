import { describe, expect, it } from 'vitest';
import { K6Log } from './log.ts';

function read(...lines: readonly (object | string)[]): K6Log {
  return readFor(undefined, ...lines);
}

function readFor(
  onException: ((fromMs: number) => void) | undefined,
  ...lines: readonly (object | string)[]
): K6Log {
  const log = new K6Log(onException);
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  // The cuts fall within lines and within characters.
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; from += 7) log.feed(bytes.subarray(from, from + 7));
  log.end();
  return log;
}

const thrown = {
  executor: 'ramping-vus',
  hint: 'script exception',
  level: 'error',
  msg: 'GoError: mine\n\tat k6.(*K6).Fail-fm (native)\n\tat default (file:///p/s.ts:4:64(13))\n',
  scenario: 'default',
  source: 'stacktrace',
};

describe('K6Log', () => {
  it('counts exceptions and keeps the first of each kind, with its place in the script', () => {
    const log = read(thrown, thrown, { ...thrown, source: undefined, msg: 'Uncaught (in promise) é' });
    expect(log.exceptions).toBe(3);
    expect(log.lines).toEqual([
      'GoError: mine at default (file:///p/s.ts:4:64(13))',
      'Uncaught (in promise) é',
    ]);
  });

  it('says in which second each exception was thrown, wherever the machine is', () => {
    const times: number[] = [];
    const time = '2026-11-22T08:41:09Z';
    readFor(
      (fromMs) => times.push(fromMs),
      { ...thrown, time },
      { level: 'error', msg: 'logged', source: 'console', time },
      { ...thrown, time: '2026-11-22T10:41:10+02:00' },
    );
    const fromMs = Date.UTC(2026, 10, 22, 8, 41, 9);
    expect(times).toEqual([fromMs, fromMs + 1000]);
  });

  it('never mistakes what a script logs for an exception', () => {
    const log = read({ level: 'error', msg: JSON.stringify(thrown), source: 'console' });
    expect(log.exceptions).toBe(0);
    expect(log.lines).toHaveLength(1);
  });

  it('treats lines that differ only in numbers as one', () => {
    const refused = (port: number) => ({
      level: 'warning',
      msg: 'Request Failed',
      error: `Get "http://127.0.0.1:9/trips/${port}": read tcp 127.0.0.1:${port}: connection reset`,
    });
    expect(read(refused(1), refused(2222), refused(33)).lines).toHaveLength(1);
  });

  it('keeps a panic, which is plain text, and drops informational lines', () => {
    expect(read('fatal error: out of memory', { level: 'info', msg: 'hello' }, '').lines).toEqual([
      'fatal error: out of memory',
    ]);
  });

  it('limits the number and the length of the lines', () => {
    const lines = Array.from({ length: 100 }, (_, i) => ({ level: 'error', msg: 'x'.repeat(300 + i * 10) }));
    const log = read(...lines);
    expect(log.lines).toHaveLength(8);
    expect(Math.max(...log.lines.map((line) => line.length))).toBeLessThanOrEqual(400);
  });

  it('reads which metrics missed their thresholds, which is no error', () => {
    const msg = "thresholds on metrics 'checks, http_req_duration{name:list,status:200}' have been crossed";
    const log = read({ level: 'error', msg });
    expect(log.missedThresholds).toEqual(['checks', 'http_req_duration{name:list,status:200}']);
    expect(log.lines).toEqual([]);
  });

  it('detects that a threshold ended the run early', () => {
    const msg =
      "thresholds on metrics 'checks' were crossed; at least one has abortOnFail enabled, stopping test prematurely";
    expect(read({ level: 'error', msg }).endedByThreshold).toBe(true);
    expect(
      read({ level: 'error', msg: "thresholds on metrics 'checks' have been crossed" }).endedByThreshold,
    ).toBe(false);
  });
});
