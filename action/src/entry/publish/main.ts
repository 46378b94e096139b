import { getInput } from '@actions/core';
import { readGitHubJob } from '../action/github-event.ts';
import { readPublishInputs } from '../action/inputs.ts';
import { readEvent, runAction } from '../action/runner.ts';
import { StepAnnotations } from '../action/step-annotations.ts';
import { publishAction } from './publish-action.ts';

await runAction((signal) =>
  publishAction({
    inputs: readPublishInputs(getInput),
    job: readGitHubJob(process.env, readEvent(process.env.GITHUB_EVENT_PATH)),
    env: process.env,
    annotations: new StepAnnotations(),
    signal,
  }),
);
