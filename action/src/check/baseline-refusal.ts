import { type BaselineRead, baselineSchemaVersion } from '../model/baseline.ts';
import { Fault, type FaultKind } from '../model/fault.ts';
import type { Run } from '../model/run.ts';

/** The runs a store may add to. Throws rather than let a store overwrite what it cannot read. */
export function storedRuns(read: BaselineRead): readonly Run[] {
  if (read.kind === 'missing') return [];
  if (read.kind === 'found') return read.baseline.runs;
  throw baselineRefusal(read, 'measurement');
}

/** Why a baseline can be neither compared with nor overwritten. */
export function baselineRefusal(
  read: Extract<BaselineRead, { kind: 'corrupt' | 'newer' | 'older' }>,
  kind: FaultKind,
): Fault {
  const { place } = read;
  const startAgain = 'move the baseline away, or delete its branch, to start again';
  switch (read.kind) {
    case 'corrupt':
      return new Fault({
        code: 'E_BASELINE_CORRUPT',
        kind,
        place,
        cause: `the stored baseline cannot be read: ${read.cause}; it was not changed`,
        nextStep: `restore it from a copy or from the history of its branch, or ${startAgain}`,
      });
    case 'newer':
      return new Fault({
        code: 'E_BASELINE_NEWER',
        kind,
        place,
        cause: `a newer perf-gate wrote the baseline (schema ${read.schema}; this version reads ${baselineSchemaVersion}); it was not changed`,
        nextStep: `update perf-gate, or ${startAgain}`,
      });
    case 'older':
      return new Fault({
        code: 'E_BASELINE_OLDER',
        kind,
        place,
        cause: `an older perf-gate wrote the baseline (schema ${read.schema}; this version reads ${baselineSchemaVersion}), and its measurements cannot be converted; it was not changed`,
        nextStep: `${startAgain}, then record a new baseline`,
      });
  }
}
