import { getInput } from '@actions/core';
import { readGateInputs } from '../github/inputs.ts';
import { readContext, runAction } from '../github/runner.ts';
import { gateAction } from './gate-action.ts';

await runAction((signal) =>
  gateAction({ ...readContext(readGateInputs(getInput), signal), platform: process.platform }),
);
