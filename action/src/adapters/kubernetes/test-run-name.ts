import { Fault } from '../../model/fault.ts';

/** The operator adds up to 12 characters, as in `NAME-initializer` and `NAME-service-500`, and a label holds 63. */
const longestName = 50;
/** Names of Services begin with a letter (RFC 1035). */
const labelName = /^[a-z]([a-z0-9-]*[a-z0-9])?$/;
const longestCell = 36;

/** The name if the operator can name its jobs and services after it. Throws a Fault otherwise. */
export function testRunName(name: string): string {
  if (name.length <= longestName && labelName.test(name)) return name;
  const wrong =
    name === ''
      ? 'the TestRun has no name'
      : `the operator cannot name its jobs and services after "${name}"`;
  throw new Fault({
    code: 'E_TESTRUN_NAME',
    kind: 'usage',
    place: '--name',
    cause: wrong,
    nextStep: `use 1 to ${longestName} lower-case letters, digits and dashes, beginning with a letter, such as gate-browse-peak`,
  });
}

/** A name for a load of that cell; the suffix sets it apart from other loads. */
export function testRunNameOf(cell: string, suffix: string): string {
  const readable = cell.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return testRunName(`gate-${readable.slice(0, longestCell)}-${suffix}`);
}
