import { expect, it } from 'vitest';
import { judgeSuite } from '../../src/check/judge-suite.ts';
import { renderComment } from '../../src/report/render/comment.ts';
import { recordedConfig, recordedPlan, recordedRun } from './recorded-runs.ts';

/** The README shows a picture of this comment: `npm run picture` draws it. */
it('the comment on an overview that reads the plans of each trip with a statement of its own', async () => {
  const head = recordedRun('06-n-plus-1-interleaved-head');
  const base = recordedRun('06-n-plus-1-interleaved-base');
  const createdAt = new Date('2026-11-22T00:00:00.000Z');
  const verdict = judgeSuite(recordedConfig, recordedPlan, { run: head, base }, { createdAt, seconds: 790 });
  const comment = renderComment(verdict, {
    command: './gate check',
    recording: { kind: 'push', branch: 'main' },
    configPath: 'perf/gate.yml',
    fullReport: { text: "the run's summary", url: 'https://github.com/owner/repo/actions/runs/42' },
    repositoryUrl: 'https://github.com/owner/repo',
    marker: '<!-- perf-gate: perf%2Fgate.yml -->',
  });
  await expect(comment).toMatchFileSnapshot('comment.md');
});
