import { expect, it } from 'vitest';
import { buildRun } from '../../../test/contract/run-builder.ts';
import type { Run } from '../../model/run.ts';
import { baselineText, markerText, parseBaseline, parseMarker, parseRun, runText } from './baseline-json.ts';

/** As runs on self-hosted runners tell it; those that were stored before do not. */
const onHost = (run: Run): Run => ({ ...run, fingerprint: { ...run.fingerprint, host: '0123456789abcdef' } });

it.each([
  ['a baseline', parseBaseline, baselineText({ schema: 1, runs: [buildRun(1), buildRun(2)] }), 'found'],
  ['a run', parseRun, runText(buildRun(1)), 'parsed'],
  ['a run that names its host', parseRun, runText(onHost(buildRun(1))), 'parsed'],
  ['a marker', parseMarker, markerText(), 'parsed'],
])('never accepts the text of %s if it ends too early', (_, parse, text, whole) => {
  for (let length = 0; length < text.length; length++) {
    expect(parse(text.slice(0, length), 'b.json')).toMatchObject({
      kind: 'corrupt',
      place: expect.stringMatching(/^b\.json:\d+:\d+$/),
    });
  }
  expect(parse(text, 'b.json').kind).toBe(whole);
});

it.each(['+refs/pull/7/head:refs/heads/release', 'release', '1a2b3c4d', '--output=x', 'A'.repeat(40)])(
  'takes no run whose commit is %s, since commits that are stored may be built',
  (commit) => {
    const run = buildRun(1, { code: { commit, branch: 'main', dirty: false } });
    expect(parseRun(runText(run), 'b.json')).toMatchObject({ kind: 'corrupt', place: 'b.json code.commit' });
  },
);

it.each(['', 'a'.repeat(40), '0'.repeat(64)])('accepts a run whose commit is "%s"', (commit) => {
  const run = buildRun(1, { code: { commit, branch: 'main', dirty: false } });
  expect(parseRun(runText(run), 'b.json').kind).toBe('parsed');
});
