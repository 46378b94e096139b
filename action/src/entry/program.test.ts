import { expect, it } from 'vitest';
import { runProgram } from './program.ts';
import { readSettings } from './settings.ts';

it('tells a defect of the gate from a regression', async () => {
  let said = '';
  const code = await runProgram(['--help'], {
    settings: readSettings({}, '/'),
    terminal: {
      width: 80,
      paintOut: (_style, text) => text,
      paintError: (_style, text) => text,
      onProgress: () => undefined,
      print: () => {
        throw new TypeError('no such stream');
      },
      printError: (text) => {
        said += text;
      },
    },
    signal: new AbortController().signal,
  });
  expect(code).toBe(3);
  expect(said).toContain('a defect of the gate');
  expect(said).toContain('TypeError: no such stream');
  expect(said).toMatch(/program\.test\.ts:\d+/);
});
