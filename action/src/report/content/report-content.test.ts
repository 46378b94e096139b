import { describe, expect, it } from 'vitest';
import { metric } from '../../../test/golden/verdict-builder.ts';
import { verdicts } from '../../../test/golden/verdicts.ts';
import { cellName } from '../../model/run.ts';
import type { Verdict } from '../../model/verdict.ts';
import { plainPhrase } from '../format/plain-text.ts';
import { machineSpeed } from './machine-speed.ts';
import { notableRows } from './notable-rows.ts';
import { plainSentence } from './plain-sentence.ts';
import { type ContentOptions, reportContent } from './report-content.ts';

const options: ContentOptions = {
  recording: { kind: 'push', branch: 'main' },
  configPath: 'perf/gate.yml',
  fullReport: { text: 'report' },
};

function example(name: string): Verdict {
  const found = verdicts[name];
  if (found === undefined) throw new Error(`there is no example ${name}`);
  return found;
}

it('has a row for a group that somebody accepted', () => {
  const pass = example('pass');
  const metrics = [metric('tps', 500, -0.07, 0.02, { outcome: 'accepted' })];
  const group = { scenario: null, cells: pass.cells.map(cellName), outcome: 'accepted' as const, metrics };
  const { sections } = reportContent({ ...pass, outcome: 'accepted', groups: [group] }, options, {
    mostEndpoints: 5,
    detail: 'changes',
  });
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

describe('the note under the figures', () => {
  const notesOf = (verdict: Verdict) => {
    const { sections } = reportContent(verdict, options, { mostEndpoints: 5, detail: 'changes' });
    return [sections.find(({ part }) => part === 'changed')?.note ?? '', notableRows(verdict).note ?? ''];
  };
  const both = 'those of the second measurement, and changes of times are those of both.';

  it('says from which measurement those of re-measured cells are', () => {
    for (const note of notesOf(example('confirmed'))) expect(note).toContain(both);
    for (const note of notesOf(example('undecided'))) {
      expect(note).toContain('those of the second measurement if that can be trusted, and');
    }
  });

  it('says so of cells that were re-measured together', () => {
    const verdict = example('scenario-regression');
    const names = verdict.cells.map(cellName);
    const again = (cells: readonly string[]): Verdict => {
      if (verdict.comparison.kind === 'none') throw new Error('the example compares nothing');
      const confirmed = {
        baseCommit: 'a'.repeat(40),
        cells: cells.map((name) => ({ name, outcome: 'regression' as const })),
      };
      return { ...verdict, comparison: { ...verdict.comparison, confirmed } };
    };
    expect(notableRows(again(names)).note).toContain(both);
    expect(notableRows(again(names.slice(0, 1))).note).not.toContain('second');
  });

  it('says nothing of the kind where no row has such figures', () => {
    for (const note of notesOf(example('regression'))) expect(note).not.toContain('second');
    // All its rows are costs, which are those of the first measurement.
    expect(notableRows(example('measured-cost')).note).toBeUndefined();
  });
});
