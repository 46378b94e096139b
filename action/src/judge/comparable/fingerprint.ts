import type { Fingerprint, Run } from '../../model/run.ts';
import type { Mismatch } from '../../model/verdict.ts';

/** What has to be equal for two runs to be comparable. */
export type Conditions = Pick<Run, 'suite' | 'fingerprint'>;

type Difference = Mismatch['differences'][number];

const absent = 'none';
/** Enough of a hash to distinguish two. */
const hashLength = 12;

/** Every compared part as readable text, in the order in which differences are listed. */
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

/** Parts that come with the code: its data, its load and its pinned versions. */
function comesWithCheckout(field: string): boolean {
  return ['k6', 'dataKey', 'loadHash'].includes(field) || field.startsWith('versions.');
}

/** Parts that the caller of a check chooses. */
function isChosenByCaller(field: string): boolean {
  return field === 'suite' || field === 'stack';
}

export function isOfMachine(field: string): boolean {
  return !comesWithCheckout(field) && !isChosenByCaller(field);
}

/**
 * True if every stored run of the same suite and stack is incomparable because of something that the checkout itself
 * can change. Without such runs this run is the first of its kind, and the checkout changed nothing.
 */
export function differByCheckout(mismatches: readonly Mismatch[]): boolean {
  const sameKind = mismatches.filter(
    ({ differences }) => !differences.some(({ field }) => isChosenByCaller(field)),
  );
  return (
    sameKind.length > 0 &&
    sameKind.every(({ differences }) => differences.some(({ field }) => comesWithCheckout(field)))
  );
}

function readable(field: string, value: string | undefined): string {
  if (value === undefined || value === '') {
    return absent;
  }
  return field === 'dataKey' || field === 'loadHash' ? value.slice(0, hashLength) : value;
}

/** The fields that make two runs incomparable; empty if they are comparable. */
export function differencesBetween(base: Conditions, head: Conditions): readonly Difference[] {
  const differences = fingerprintDifferences(base.fingerprint, head.fingerprint);
  if (base.suite === head.suite) return differences;
  // Another suite is another load, and its name says more than a hash.
  const others = differences.filter(({ field }) => field !== 'loadHash');
  return [{ field: 'suite', base: base.suite, head: head.suite }, ...others];
}

export function fingerprintDifferences(base: Fingerprint, head: Fingerprint): readonly Difference[] {
  const [baseParts, headParts] = [parts(base), parts(head)];
  return [...new Set([...baseParts.keys(), ...headParts.keys()])]
    .filter((field) => baseParts.get(field) !== headParts.get(field))
    .map((field) => ({
      field,
      base: readable(field, baseParts.get(field)),
      head: readable(field, headParts.get(field)),
    }));
}
