import { getInput } from '@actions/core';
import { readRecordInputs } from '../github/inputs.ts';
import { readContext, runAction } from '../github/runner.ts';
import { recordAction } from './record-action.ts';

await runAction((signal) => recordAction(readContext(readRecordInputs(getInput), signal)));
