import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { publishedCrd, testRunValidator } from './k6-operator-crd.ts';

const crd = await publishedCrd();
/** A unit test keeps this file equal to what the gate writes. */
const manifests = readFileSync(join(import.meta.dirname, '../golden/generator/manifests.yaml'), 'utf8');
const testRun = parseAllDocuments(manifests)
  .map((document) => document.toJS())
  .find(({ kind }) => kind === 'TestRun');

describe.skipIf('lack' in crd)("k6-operator's definition of a TestRun", () => {
  let errorsOf: ReturnType<typeof testRunValidator>;
  beforeAll(() => {
    errorsOf = testRunValidator('text' in crd ? crd.text : '');
  });
  const changed = (spec: object) => errorsOf({ ...testRun, spec: { ...testRun.spec, ...spec } });

  it('accepts what the gate writes', () => {
    expect(errorsOf(testRun)).toEqual([]);
  });

  it.each([
    ['a field that it does not know', { seperate: true }, 'must NOT have additional properties'],
    ['a number as text', { parallelism: '4' }, 'must be integer'],
    ['a switch where it wants text', { runner: { automountServiceAccountToken: false } }, 'must be string'],
    [
      'an unknown field of a volume',
      { runner: { volumes: [{ name: 'a', pvc: {} }] } },
      'must NOT have additional',
    ],
  ])('refuses %s', (_, spec, message) => {
    expect(changed(spec).map((error) => error.message)).toEqual([expect.stringContaining(message)]);
  });

  it.each(['parallelism', 'script'])('needs %s', (field) => {
    const { [field]: _, ...rest } = testRun.spec;
    expect(errorsOf({ ...testRun, spec: rest })).toMatchObject([{ params: { missingProperty: field } }]);
  });
});
