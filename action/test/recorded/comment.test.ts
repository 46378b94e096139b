import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { judgeSuite } from '../../src/check/judge-suite.ts';
import { planSuite } from '../../src/measure/plan.ts';
import { configSchema } from '../../src/model/config.ts';
import { renderComment } from '../../src/report/render/comment.ts';
import { recordedRun } from './recorded-runs.ts';

const config = configSchema.parse(
  parse(readFileSync(join(import.meta.dirname, '../../../perf/gate.yml'), 'utf8')),
);

/** The README shows a picture of this comment: `npm run picture` draws it. */
it('the comment on an overview that reads the plans of each trip with a statement of its own', async () => {
  const head = recordedRun('06-n-plus-1-interleaved-head');
  const base = recordedRun('06-n-plus-1-interleaved-base');
  const plan = planSuite(config, 'pr', 'perf/gate.yml');
  const createdAt = new Date('2026-11-22T00:00:00.000Z');
  const verdict = judgeSuite(config, plan, { run: head, base }, { createdAt, seconds: 790 });
  const comment = renderComment(verdict, {
    command: './gate check',
    recording: { kind: 'push', branch: 'main' },
    configPath: 'perf/gate.yml',
    fullReport: { text: "the run's summary", url: 'https://github.com/owner/repo/actions/runs/42' },
    marker: '<!-- perf-gate: perf%2Fgate.yml -->',
  });
  await expect(comment).toMatchFileSnapshot('comment.md');
});
