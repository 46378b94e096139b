import { expect, it } from 'vitest';
import { readStepMessage } from './step-message.ts';

it('reads the last message in the log', () => {
  const log = [
    '{"ready":true,"dataKey":"old"}',
    'restoring',
    '{"ready":true,"dataKey":"k1","versions":{"database":"MariaDB 11.8"},"archiveBytes":1,"rebuilt":"","timingsMs":{"restore":900}}',
    '{ not json',
    'done',
  ];
  expect(readStepMessage(log)).toEqual({
    ready: true,
    dataKey: 'k1',
    versions: { database: 'MariaDB 11.8' },
    rebuilt: '',
    timingsMs: { restore: 900 },
  });
});

it('reads a failure', () => {
  const [message] = [
    readStepMessage(['{"ready":false,"error":{"code":"DISK_FULL","message":"12 MB left"}}']),
  ];
  expect(message?.error).toEqual({
    code: 'DISK_FULL',
    message: '12 MB left',
    nextStep: 'read its log',
    logTail: [],
  });
});

it.each([
  [[]],
  [['plain text']],
  [['{"level":"info"}']],
  [['{"level":"error","error":{"code":"ECONNREFUSED","message":"x"}}']],
  [['{"timingsMs":"fast"}']],
])('finds no message in %j', (log) => {
  expect(readStepMessage(log)).toBeUndefined();
});
