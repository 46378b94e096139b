import { describe, expect, it } from 'vitest';
import { isWorthAComment, verdictOutputs } from '../../src/report/render/action-outputs.ts';
import { verdicts } from './verdicts.ts';

describe('the outputs of the Action', () => {
  it('match the snapshot for every verdict', () => {
    const rows = Object.entries(verdicts).map(([name, verdict]) => ({
      name,
      ...verdictOutputs(verdict),
      comment: isWorthAComment(verdict),
    }));
    expect(rows).toMatchSnapshot();
  });

  it('ask for a comment on a plain pass only if the change touches how it is judged', () => {
    const { pass } = verdicts;
    if (pass === undefined) throw new Error('no verdict called pass');
    expect(isWorthAComment(pass)).toBe(false);
    expect(isWorthAComment({ ...pass, judgedByDefaultBranch: true })).toBe(true);
  });

  it('stay on one line with any names', () => {
    for (const verdict of Object.values(verdicts)) {
      for (const value of Object.values(verdictOutputs(verdict))) expect(value).not.toMatch(/\s/);
    }
  });
});
