import { expect, it } from 'vitest';
import { Fault } from '../../model/fault.ts';
import type { Finding } from '../../report/index.ts';
import type { CommandContext } from './command.ts';
import { showFinding } from './experiment-command.ts';

const finding: Finding = {
  title: 'Sweep of POOL',
  sentence: '4 is best.',
  state: 'unknown',
  because: [],
  tables: [],
  charts: [],
  facts: [],
  nextSteps: [],
};

it('prints what cannot be kept because the disk is full, and fails', async () => {
  const full = new Fault({
    code: 'E_DISK_FULL',
    kind: 'measurement',
    place: 'sweep.json',
    cause: 'the disk is full',
    nextStep: 'free some space',
  });
  const printed: string[] = [];
  const terminal = {
    width: 80,
    paintOut: (_: unknown, text: string) => text,
    print: (text: string) => printed.push(text),
  };
  const experiment = {
    write: () => Promise.reject(full),
    resultDirectory: 'results',
    doubts: ['It had not settled.'],
  };
  const shown = showFinding(experiment, 'sweep', { finding, result: {} }, {}, {
    terminal,
    settings: {},
  } as unknown as CommandContext);
  await expect(shown).rejects.toBe(full);
  expect(printed.join('')).toMatch(/^Sweep of POOL: 4 is best\.[\s\S]*It had not settled\./);
  expect(printed.join('')).not.toContain('sweep.html');
});
