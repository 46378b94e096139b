import { expect, it } from 'vitest';
import { parseEvent } from './compose-events.ts';

const line = (action: string, attributes: Record<string, string> = {}) =>
  JSON.stringify({
    status: action,
    id: 'abc',
    Type: 'container',
    Action: action,
    Actor: { ID: 'abc', Attributes: { 'com.docker.compose.service': 'db', ...attributes } },
    scope: 'local',
    time: 1700000000,
    timeNano: 1700000000500000000,
  });

it.each([
  ['start', {}, { kind: 'start' }],
  ['die', { exitCode: '137' }, { kind: 'end', exitCode: 137 }],
  ['oom', {}, { kind: 'out-of-memory' }],
  ['health_status: unhealthy', {}, { kind: 'health', health: 'unhealthy' }],
])('reads %s', (action, attributes, expected) => {
  expect(parseEvent(line(action, attributes))).toEqual({
    container: 'abc',
    service: 'db',
    atSeconds: 1700000000.5,
    ...expected,
  });
});

it.each([
  ['what is of no interest', line('exec_create: node probe.mjs')],
  ['half a line', line('die').slice(0, 40)],
  ['another shape', '{"Action":"die"}'],
])('passes over %s', (_, text) => {
  expect(parseEvent(text)).toBeUndefined();
});
