import { afterEach, expect, it, vi } from 'vitest';
import { note } from './runner.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

it.each([
  [
    'ended what was left running: x ##[error]pwn (process 7)',
    'ended what was left running: x ## [error]pwn (process 7)',
  ],
  ['##[group]a ##[add-mask]b', '## [group]a ## [add-mask]b'],
  ['::error::pwn', ': :error::pwn'],
  ['  ::error::pwn', ': :error::pwn'],
  ['\u001b[0m##\u200b[error]pwn\n::error::pwn', '## [error]pwn ::error::pwn'],
  ['comment created: https://github.com/o/r::x', 'comment created: https://github.com/o/r::x'],
])('prints %j without a command to the runner', (text, line) => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  note(text);
  expect(write.mock.calls.map(([chunk]) => chunk)).toEqual([`${line}\n`]);
});
