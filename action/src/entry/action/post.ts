import * as core from '@actions/core';
import { saveFolders } from '../../adapters/github/index.ts';
import { untilAborted } from '../../adapters/host/index.ts';
import { exitCodes, Fault } from '../../model/fault.ts';
import { childEnvironment } from '../github/child-environment.ts';
import { note, runAction, warnOfCache } from '../github/runner.ts';
import { StepAnnotations } from '../github/step-annotations.ts';
import { type ActionState, readActionState } from './state.ts';
import { tearDown } from './tear-down.ts';

async function cleanUp(state: ActionState, annotations: StepAnnotations): Promise<void> {
  try {
    const left = await tearDown(state, childEnvironment(process.env));
    note(left.length === 0 ? 'nothing was left running' : `ended what was left running: ${left.join(', ')}`);
  } catch (error) {
    // A failed clean-up does not change the verdict.
    if (!(error instanceof Fault)) throw error;
    annotations.make(
      'warning',
      `Parts of this check may still run: ${error.details.cause}. The next check in this checkout removes them.`,
      { title: 'perf-gate: not cleaned up' },
    );
  }
}

await runAction(async (signal) => {
  const state = readActionState(core.getState);
  if (state === undefined) {
    note('nothing was started');
    return exitCodes.pass;
  }
  const annotations = new StepAnnotations();
  await cleanUp(state, annotations);
  const { cache } = state;
  if (cache !== undefined) {
    const means = { env: process.env, warn: warnOfCache(annotations) };
    await untilAborted(signal, () => saveFolders(cache, means));
  }
  return exitCodes.pass;
});
