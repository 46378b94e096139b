import type { Fingerprint, Run } from '../model/run.ts';
import type { Mismatch } from '../model/verdict.ts';

/** What makes a run comparable. */
export type Conditions = Pick<Run, 'suite' | 'fingerprint'>;

type Difference = Mismatch['differences'][number];

const absent = 'none';
/** Enough of a hash to tell two apart. */
const hashLength = 12;

/** Every compared part as people read it, in the order in which differences are listed. */
function parts(fingerprint: Fingerprint): ReadonlyMap<string, string> {
  const { versions } = fingerprint;
  return new Map([
    ['cpuModel', fingerprint.cpuModel],
    ['cpuCount', `${fingerprint.cpuCount}`],
    ['memoryGiB', `${fingerprint.memoryGiB} GiB`],
    ['os', fingerprint.os],
    ['runner', fingerprint.runner],
    ['stack', fingerprint.stack],
    ['k6', fingerprint.k6],
    ...Object.keys(versions)
      .sort()
      .map((name): [string, string] => [`versions.${name}`, versions[name] ?? absent]),
    ['dataKey', fingerprint.dataKey],
    ['loadHash', fingerprint.loadHash],
  ]);
}

/** Parts that come with the code: its data, its load, its pinned versions. */
function isOfCheckout(field: string): boolean {
  return ['k6', 'dataKey', 'loadHash'].includes(field) || field.startsWith('versions.');
}

/** What whoever starts a check asks for. The rest is the machine's. */
function isAskedFor(field: string): boolean {
  return field === 'suite' || field === 'stack';
}

/**
 * True if what the checkout itself can change keeps every run from being compared that was asked for like this one.
 * Where none was, this is the first of its kind, and nothing was changed.
 */
export function differByCheckout(mismatches: readonly Mismatch[]): boolean {
  const ofThisKind = mismatches.filter(
    ({ differences }) => !differences.some(({ field }) => isAskedFor(field)),
  );
  return (
    ofThisKind.length > 0 &&
    ofThisKind.every(({ differences }) => differences.some(({ field }) => isOfCheckout(field)))
  );
}

function readable(field: string, value: string | undefined): string {
  if (value === undefined || value === '') {
    return absent;
  }
  return field === 'dataKey' || field === 'loadHash' ? value.slice(0, hashLength) : value;
}

/** Field by field, what keeps two runs from being compared; empty if nothing does. */
export function differencesBetween(base: Conditions, head: Conditions): readonly Difference[] {
  const differences = fingerprintDifferences(base.fingerprint, head.fingerprint);
  if (base.suite === head.suite) return differences;
  // Another suite is another load; its name tells more than a hash.
  const others = differences.filter(({ field }) => field !== 'loadHash');
  return [{ field: 'suite', base: base.suite, head: head.suite }, ...others];
}

export function fingerprintDifferences(base: Fingerprint, head: Fingerprint): readonly Difference[] {
  const [ofBase, ofHead] = [parts(base), parts(head)];
  return [...new Set([...ofBase.keys(), ...ofHead.keys()])]
    .filter((field) => ofBase.get(field) !== ofHead.get(field))
    .map((field) => ({
      field,
      base: readable(field, ofBase.get(field)),
      head: readable(field, ofHead.get(field)),
    }));
}
