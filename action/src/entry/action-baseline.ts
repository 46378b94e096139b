import { createFileStore } from '../adapters/file-store.ts';
import { createBranchStore } from '../adapters/git-branch-store.ts';
import { createSystemClock } from '../adapters/system-clock.ts';
import type { BaselineStore } from '../measure/ports.ts';
import type { GateInputs } from './action-inputs.ts';
import { openWorkspace } from './workspace.ts';

/** Where the baseline of this repository lies, as the inputs of an action say. */
export function actionBaseline(
  inputs: Pick<GateInputs, 'baseline-store' | 'baseline-branch' | 'github-token'>,
  root: string,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): BaselineStore {
  if (inputs['baseline-store'] === 'file') {
    return createFileStore(openWorkspace(root, '').baselineDirectory);
  }
  return createBranchStore({
    directory: root,
    env,
    clock: createSystemClock(),
    signal,
    branch: inputs['baseline-branch'],
    remote: 'origin',
    ...(inputs['github-token'] === '' ? {} : { token: inputs['github-token'] }),
  });
}
