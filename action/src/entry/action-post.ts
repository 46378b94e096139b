import { getState } from '@actions/core';
import { saveFolders } from '../adapters/actions-cache.ts';
import { exitCodes } from '../model/fault.ts';
import { note, runAction } from './action-runner.ts';
import { readActionState } from './action-state.ts';
import { childEnvironment } from './child-environment.ts';
import { tearDown } from './tear-down.ts';

await runAction(async () => {
  const state = readActionState(getState);
  if (state === undefined) {
    note('nothing was started');
    return exitCodes.pass;
  }
  const left = await tearDown(state, childEnvironment(process.env));
  note(left.length === 0 ? 'nothing was left running' : `ended what was left running: ${left.join(', ')}`);
  if (state.cache !== undefined) await saveFolders(state.cache, note);
  return exitCodes.pass;
});
