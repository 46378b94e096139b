import { getInput } from '@actions/core';
import { readPublishInputs } from '../github/inputs.ts';
import { readContext, runAction } from '../github/runner.ts';
import { publishAction } from './publish-action.ts';

await runAction((signal) => publishAction(readContext(readPublishInputs(getInput), signal)));
