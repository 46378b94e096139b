import { describe, expect, it } from 'vitest';
import type { Verdict } from '../../src/model/verdict.ts';
import { headline } from '../../src/report/content/headline.ts';
import { nextSteps } from '../../src/report/content/next-step.ts';
import { plainSentence } from '../../src/report/content/plain-sentence.ts';
import { plainPhrase } from '../../src/report/format/plain-text.ts';
import { annotations } from '../../src/report/render/annotations.ts';
import { verdicts } from './verdicts.ts';

const onPush = { recording: { kind: 'push', branch: 'trunk' }, configPath: 'perf/gate.yml' } as const;

/** The next steps for a reader whose checkout does not contain the gate. */
function stepsOf(name: keyof typeof verdicts, storedIn?: string): readonly string[] {
  const verdict = verdicts[name];
  if (verdict === undefined) throw new Error(`no verdict is called ${name}`);
  return nextSteps(verdict, { ...onPush, ...(storedIn === undefined ? {} : { storedIn }) }).map(plainPhrase);
}

describe('the next step in a checkout without the gate', () => {
  it('is a push, or a re-run of the job if the machine may be the cause', () => {
    expect(stepsOf('regression')).toEqual([
      'fix it and git push. If the change is intended, comment /perf-gate accept REASON',
    ]);
    expect(stepsOf('invalid-generator')).toEqual([
      'fix the cause above, then git push, or run the job again',
    ]);
    expect(stepsOf('coarse')).toEqual([
      'let pushes to trunk add to the baseline: with 3 or more stored runs, smaller changes are detected',
    ]);
    expect(stepsOf('coarse-for-runs')).toEqual([
      'set suites.pr.rounds to 9 in perf/gate.yml and let 3 pushes to trunk store new runs. Then git push',
    ]);
    expect(stepsOf('noise')).toEqual([
      'run the job again. If it is disturbed again, use a runner that does nothing else',
    ]);
    expect(stepsOf('undecided')).toEqual(['run the job again']);
    expect(stepsOf('pass')).toEqual([]);
  });

  it('says how to get a baseline, and then that one exists', () => {
    expect(stepsOf('first-run')).toEqual(['the next push to trunk stores a run to compare with']);
    expect(stepsOf('first-run', 'perf-gate-baseline')).toEqual([
      'the next pull request is compared with this run',
    ]);
  });

  it('says how to get another one after a pass against the base commit, because no stored run is comparable', () => {
    if (verdicts.pass === undefined) throw new Error('no verdict passes');
    const comparison = { kind: 'side-by-side', baseCommit: 'c0ffee' } as const;
    const steps = (outcome: string, more: object) => {
      const verdict = { ...verdicts.pass, outcome, comparison: { ...comparison, ...more } };
      return nextSteps(verdict as Verdict, onPush).map(plainPhrase);
    };
    expect(steps('pass', { mismatches: [] })).toEqual([
      'the next push to trunk stores a run to compare with',
    ]);
    expect(steps('coarse', { mismatches: [] })).toEqual([
      'let pushes to trunk add to the baseline: with 3 or more stored runs, smaller changes are detected',
    ]);
    expect(steps('pass', {})).toEqual([]);
  });
});

describe('a missed threshold that fails the check', () => {
  const [cell, ...others] = verdicts.pass?.cells ?? [];
  if (verdicts.pass === undefined || cell === undefined) throw new Error('the passing verdict has no cell');
  const objective = "blocks within the script's thresholds of checks = 100%";
  const objectives = [{ objective, value: 0.5, limit: 1, met: false, judged: true as const }];
  const verdict: Verdict = {
    ...verdicts.pass,
    outcome: 'regression',
    cells: [{ ...cell, outcome: 'regression', objectives }, ...others],
  };
  const said = `${objective}, measured 50%`;

  it('is what every first sentence says', () => {
    const { word, rest } = headline(verdict);
    expect(word + rest).toContain(said);
    expect(plainPhrase(plainSentence(verdict, undefined).rest)).toContain(said);
  });

  it('can only be fixed or changed', () => {
    expect(nextSteps(verdict, onPush).map(plainPhrase)).toEqual([
      'fix it and git push. Nobody can accept a missed objective or threshold: change it in gate.yml or the script if it is wrong',
    ]);
  });

  it('is an error of its cell', () => {
    expect(
      annotations(verdict, {
        ...onPush,
        locate: () => undefined,
        before: { error: 0, warning: 0, notice: 0 },
      }),
    ).toContainEqual(expect.objectContaining({ level: 'error', message: expect.stringContaining(said) }));
  });
});

describe('a service that no longer works', () => {
  const verdict = verdicts['no-longer-answers'];
  if (verdict === undefined) throw new Error('no verdict has a silent cell');
  const cause = 'no request began within the 5 s that are counted; first error: request timeout';
  const said = `base works, but head does not: ${cause} (I_NO_SAMPLES)`;

  it('is what every first sentence says', () => {
    const { word, rest } = headline(verdict);
    expect(word + rest).toBe(`Regression: trip-browse@peak — ${said}`);
    expect(plainPhrase(plainSentence(verdict, undefined).rest)).toBe(
      `: trip-browse at peak worked with the base commit, but not with this one: ${cause}.`,
    );
  });

  it('can only be fixed', () => {
    expect(nextSteps(verdict, onPush).map(plainPhrase)).toEqual([
      'fix it and git push. Nobody can accept a service that no longer works',
    ]);
  });

  it('is an error of its cell', () => {
    const before = { error: 0, warning: 0, notice: 0 };
    expect(annotations(verdict, { ...onPush, locate: () => undefined, before })).toContainEqual(
      expect.objectContaining({ level: 'error', message: expect.stringContaining(said) }),
    );
  });
});
