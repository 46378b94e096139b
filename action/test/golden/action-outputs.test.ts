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

  it('stay on one line with any names', () => {
    for (const verdict of Object.values(verdicts)) {
      for (const value of Object.values(verdictOutputs(verdict))) expect(value).not.toMatch(/\s/);
    }
  });
});
