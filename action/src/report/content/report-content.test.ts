import { expect, it } from 'vitest';
import { metric } from '../../../test/golden/verdict-builder.ts';
import { verdicts } from '../../../test/golden/verdicts.ts';
import { cellName } from '../../model/run.ts';
import type { Verdict } from '../../model/verdict.ts';
import { plainPhrase } from '../format/plain-text.ts';
import { machineSpeed } from './machine-speed.ts';
import { plainSentence } from './plain-sentence.ts';
import { reportContent } from './report-content.ts';

function example(name: string): Verdict {
  const found = verdicts[name];
  if (found === undefined) throw new Error(`there is no example ${name}`);
  return found;
}

it('has a row for a group that somebody accepted', () => {
  const pass = example('pass');
  const metrics = [metric('tps', 500, -0.07, 0.02, { outcome: 'accepted' })];
  const group = { scenario: null, cells: pass.cells.map(cellName), outcome: 'accepted' as const, metrics };
  const { sections } = reportContent(
    { ...pass, outcome: 'accepted', groups: [group] },
    {
      recording: { kind: 'push', branch: 'main' },
      configPath: 'perf/gate.yml',
      fullReport: { text: 'report' },
    },
    { mostEndpoints: 5, detail: 'changes' },
  );
  expect(sections.find(({ part }) => part === 'changed')?.entries).toHaveLength(1);
});

it('takes no figure of a second measurement for the speed of the machine', () => {
  const from = example('regression');
  const confirmed = {
    baseCommit: 'a'.repeat(40),
    cells: from.cells.map((cell) => ({ name: cellName(cell), outcome: cell.outcome })),
  };
  if (from.comparison.kind === 'none') throw new Error('the example compares nothing');
  expect(machineSpeed(from)).not.toEqual([]);
  expect(machineSpeed({ ...from, comparison: { ...from.comparison, confirmed } })).toEqual([]);
});

it('counts the cells that were not measured because another one broke', () => {
  const pass = example('pass');
  const reason = { code: 'I_NO_SAMPLES', cause: 'nothing was answered', nextStep: 'look at its log' };
  const cells = pass.cells.map((cell, at) => ({
    ...cell,
    outcome: 'invalid' as const,
    invalid: at === 0 ? [reason] : [],
  }));
  const { rest } = plainSentence({ ...pass, outcome: 'invalid', cells }, undefined);
  expect(plainPhrase(rest)).toContain(`${cells.length} of ${cells.length} cells`);
});
