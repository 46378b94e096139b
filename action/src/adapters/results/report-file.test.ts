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
const report = { schema: 2, vuFactor: 1, seconds: 300, run };

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
  it('contains the run, and the base if that was measured', () => {
    expect(parseReportFile(JSON.stringify(report), 'an artifact')).toEqual(report);
    const beside = { ...report, beside: { base, head: run } };
    expect(parseReportFile(JSON.stringify(beside), 'an artifact')).toEqual(beside);
  });

  it('of the previous schema is read as a report without a base', () => {
    expect(parseReportFile(JSON.stringify({ ...report, schema: 1 }), 'an artifact')).toEqual(report);
    expect(codeOf({ ...report, schema: 1, beside: { base } })).toBe('E_REPORT_CORRUPT');
  });

  it('is never accepted if it ends too early', () => {
    const text = JSON.stringify({ ...report, beside: { base, head: run } });
    for (let length = 0; length < text.length; length += 1) {
      expect(() => parseReportFile(text.slice(0, length), 'an artifact')).toThrow(
        expect.objectContaining({ details: expect.objectContaining({ code: 'E_REPORT_CORRUPT' }) }),
      );
    }
  });

  it.each([
    ['the report', { ...report, schema: 3 }],
    ['the run', { ...report, run: { ...run, schema: 2 } }],
    ['the base', { ...report, beside: { base: { ...base, schema: 2 } } }],
    ['the repeated head run', { ...report, beside: { base, head: { ...run, schema: 2 } } }],
  ])('is refused as newer if %s is', (_, value) => {
    expect(codeOf(value)).toBe('E_REPORT_NEWER');
  });

  it.each([
    ['no schema', { ...report, schema: undefined }],
    ['a schema older than the first', { ...report, schema: 0 }],
    [
      'a base without a commit',
      { ...report, beside: { base: { ...base, code: { ...base.code, commit: '' } } } },
    ],
    [
      'a base with an invalid commit',
      { ...report, beside: { base: { ...base, code: { ...base.code, commit: '@org/team' } } } },
    ],
    ['a verdict on the base', { ...report, beside: { base, outcome: 'pass' } }],
    ['an empty comparison', { ...report, beside: {} }],
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
    const path = await writeReportFile(fixture.path, { ...report, schema: 2, run: named, beside: { base } });
    const text = await readFile(path, 'utf8');
    expect(text).not.toContain('HISTF');
    const read = parseReportFile(text, 'an artifact');
    expect(read.run.fingerprint.versions).toEqual(versions);
    expect(read.run.cells[0]?.blocks[0]?.signals).toEqual({ histogram: 3 });
    expect(read.beside?.base.code.commit).toBe(base.code.commit);
  });
});
