import { readFile } from 'node:fs/promises';
import { createFixture } from 'fs-fixture';
import { describe, expect, it, onTestFinished } from 'vitest';
import { buildRun } from '../../../test/contract/run-builder.ts';
import { Fault } from '../../model/fault.ts';
import { mostReportBytes } from './report-bounds.ts';
import { parseReportFile, whyNotPublished } from './report-file.ts';
import { writeReportFile } from './result-files.ts';

const run = buildRun(1);
const base = { ...buildRun(2), code: { commit: 'a'.repeat(40), branch: '', dirty: false } };
const report = { schema: 3, vuFactor: 1, seconds: 300, run };

function codeOf(value: unknown): string {
  try {
    parseReportFile(JSON.stringify(value), 'an artifact');
  } catch (error) {
    if (error instanceof Fault) return error.details.code;
    throw error;
  }
  return 'none';
}

describe('a report of a pull request', () => {
  it('contains the run, and the base and the second measurement if there were any', () => {
    const again = { base, head: run };
    for (const more of [{}, { base }, { again }, { base, again }]) {
      const text = JSON.stringify({ ...report, ...more });
      expect(parseReportFile(text, 'an artifact')).toEqual({ ...report, ...more });
    }
  });

  it('is never accepted if it ends too early', () => {
    const text = JSON.stringify({ ...report, base, again: { base, head: run } });
    for (let length = 0; length < text.length; length += 1) {
      expect(() => parseReportFile(text.slice(0, length), 'an artifact')).toThrow(
        expect.objectContaining({ details: expect.objectContaining({ code: 'E_REPORT_CORRUPT' }) }),
      );
    }
  });

  it.each([
    ['the report', { ...report, schema: 4 }],
    ['the report, which is older,', { ...report, schema: 2 }],
    ['the run', { ...report, run: { ...run, schema: 2 } }],
    ['the base', { ...report, base: { ...base, schema: 2 } }],
    ['the base of the second measurement', { ...report, again: { base: { ...base, schema: 2 }, head: run } }],
    ['the head of the second measurement', { ...report, again: { base, head: { ...run, schema: 2 } } }],
  ])('is refused as of another version because of %s', (_, value) => {
    expect(codeOf(value)).toBe('E_REPORT_VERSION');
  });

  it.each([
    ['no schema', { ...report, schema: undefined }],
    ['a base without a commit', { ...report, base: { ...base, code: { ...base.code, commit: '' } } }],
    [
      'a base with an invalid commit',
      { ...report, again: { base: { ...base, code: { ...base.code, commit: '@org/team' } }, head: run } },
    ],
    ['a verdict on the base', { ...report, base: { ...base, outcome: 'pass' } }],
    ['an empty second measurement', { ...report, again: {} }],
  ])('is refused with %s', (_, value) => {
    expect(codeOf(value)).toBe('E_REPORT_CORRUPT');
  });
});

describe('a report that is too long to publish', () => {
  it('is reported by the check itself, with a next step', () => {
    expect(whyNotPublished(mostReportBytes)).toBeUndefined();
    expect(whyNotPublished(mostReportBytes + 1)).toMatch(/8388609 bytes.*8388608.*Leave ids out/);
  });
});

describe('a written report', () => {
  it('omits histograms, and keeps all else, also other fields called histogram', async () => {
    const fixture = await createFixture();
    onTestFinished(() => fixture.rm());
    const versions = { histogram: '3.0.1' };
    const named = { ...run, fingerprint: { ...run.fingerprint, versions } };
    const path = await writeReportFile(fixture.path, { ...report, schema: 3, run: named, base });
    const text = await readFile(path, 'utf8');
    expect(text).not.toContain('HISTF');
    const read = parseReportFile(text, 'an artifact');
    expect(read.run.fingerprint.versions).toEqual(versions);
    expect(read.run.cells[0]?.blocks[0]?.signals).toEqual({ histogram: 3 });
    expect(read.base?.code.commit).toBe(base.code.commit);
  });
});
