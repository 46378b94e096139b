import { exitCodes } from '../model/fault.ts';
import type { Outcome } from '../model/verdict.ts';

export function exitCodeOf(outcome: Outcome, inconclusive: 'pass' | 'fail'): number {
  switch (outcome) {
    case 'pass':
      return exitCodes.pass;
    case 'regression':
      return exitCodes.regression;
    case 'inconclusive':
      return inconclusive === 'pass' ? exitCodes.pass : exitCodes.regression;
    case 'invalid':
      return exitCodes.notMeasured;
  }
}
