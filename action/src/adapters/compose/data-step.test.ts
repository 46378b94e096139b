import { expect, it } from 'vitest';
import { readDataStep } from './data-step.ts';

it('takes the last message among the lines of the log', () => {
  const log = [
    '{"ready":true,"dataKey":"old"}',
    'restoring',
    '{"ready":true,"dataKey":"k1","versions":{"database":"MariaDB 11.8"},"archiveBytes":1,"rebuilt":"","timingsMs":{"restore":900}}',
    '{ not json',
    'done',
  ];
  expect(readDataStep(log)).toEqual({
    ready: true,
    dataKey: 'k1',
    versions: { database: 'MariaDB 11.8' },
    rebuilt: '',
    timingsMs: { restore: 900 },
  });
});

it('takes a failure', () => {
  const [message] = [readDataStep(['{"ready":false,"error":{"code":"DISK_FULL","message":"12 MB left"}}'])];
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
])('finds none in %j', (log) => {
  expect(readDataStep(log)).toBeUndefined();
});
