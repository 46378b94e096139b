import { type BaselineRead, baselineSchemaVersion } from '../model/baseline.ts';
import { Fault, type FaultKind } from '../model/fault.ts';

/** Why a baseline that cannot be read is neither compared with nor written over. */
export function baselineRefusal(
  read: Extract<BaselineRead, { kind: 'corrupt' | 'newer' | 'older' }>,
  kind: FaultKind,
): Fault {
  const startAnew = 'move it away (delete the branch, if it lies on one) to start from nothing';
  switch (read.kind) {
    case 'corrupt':
      return new Fault({
        code: 'E_BASELINE_CORRUPT',
        kind,
        place: read.place,
        cause: `the stored baseline cannot be read: ${read.cause}; it was left as it is`,
        nextStep: `restore it from a copy or from the history of its branch, or ${startAnew}`,
      });
    case 'newer':
      return new Fault({
        code: 'E_BASELINE_NEWER',
        kind,
        place: read.place,
        cause: `a newer perf-gate wrote the baseline (schema ${read.schema}, this one reads ${baselineSchemaVersion}); it was left as it is`,
        nextStep: `update perf-gate, or ${startAnew}`,
      });
    case 'older':
      return new Fault({
        code: 'E_BASELINE_OLDER',
        kind,
        place: read.place,
        cause: `an older perf-gate wrote the baseline (schema ${read.schema}, this one reads ${baselineSchemaVersion}), and what it measured cannot be carried over; it was left as it is`,
        nextStep: `${startAnew}, then record a new baseline`,
      });
  }
}
