import type { Fingerprint } from '../model/run.ts';
import type { Mismatch } from '../model/verdict.ts';

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

/** Parts that come with the code: its data, its load, its pinned versions. The others are the machine's. */
function isOfCheckout(field: string): boolean {
  return ['stack', 'k6', 'dataKey', 'loadHash'].includes(field) || field.startsWith('versions.');
}

/** True if what the checkout itself can change keeps every one of the runs from being compared. */
export function differByCheckout(mismatches: readonly Mismatch[]): boolean {
  return (
    mismatches.length > 0 &&
    mismatches.every(({ differences }) => differences.some(({ field }) => isOfCheckout(field)))
  );
}

function readable(field: string, value: string | undefined): string {
  if (value === undefined || value === '') {
    return absent;
  }
  return field === 'dataKey' || field === 'loadHash' ? value.slice(0, hashLength) : value;
}

/** Field by field, what keeps two runs from being compared; empty if nothing does. */
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
