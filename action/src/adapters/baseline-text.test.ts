import { expect, it } from 'vitest';
import { buildRun } from '../../test/contract/run-builder.ts';
import type { Run } from '../model/run.ts';
import { baselineText, markerText, parseBaseline, parseMarker, parseRun, runText } from './baseline-text.ts';

/** As runs on self-hosted runners tell it; those that were stored before do not. */
const onHost = (run: Run): Run => ({ ...run, fingerprint: { ...run.fingerprint, host: '0123456789abcdef' } });

it.each([
  ['a baseline', parseBaseline, baselineText({ schema: 1, runs: [buildRun(1), buildRun(2)] }), 'found'],
  ['a run', parseRun, runText(buildRun(1)), 'parsed'],
  ['a run that tells its host', parseRun, runText(onHost(buildRun(1))), 'parsed'],
  ['a marker', parseMarker, markerText(), 'parsed'],
])('never takes the text of %s that was cut off for a whole one', (_, parse, text, whole) => {
  for (let length = 0; length < text.length; length++) {
    expect(parse(text.slice(0, length), 'b.json')).toMatchObject({
      kind: 'corrupt',
      place: expect.stringMatching(/^b\.json:\d+:\d+$/),
    });
  }
  expect(parse(text, 'b.json').kind).toBe(whole);
});
