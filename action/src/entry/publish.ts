import { getInput } from '@actions/core';
import { readPublishInputs } from './action-inputs.ts';
import { readEvent, runAction } from './action-runner.ts';
import { readGitHubJob } from './github-event.ts';
import { publishAction } from './publish-action.ts';
import { StepAnnotations } from './step-annotations.ts';

await runAction((signal) =>
  publishAction({
    inputs: readPublishInputs(getInput),
    job: readGitHubJob(process.env, readEvent(process.env.GITHUB_EVENT_PATH)),
    env: process.env,
    annotations: new StepAnnotations(),
    signal,
  }),
);
