import { getInput } from '@actions/core';
import { readGateInputs } from './action-inputs.ts';
import { readEvent, runAction } from './action-runner.ts';
import { gateAction } from './gate-action.ts';
import { readGitHubJob } from './github-event.ts';
import { StepAnnotations } from './step-annotations.ts';

await runAction((signal) =>
  gateAction({
    inputs: readGateInputs(getInput),
    job: readGitHubJob(process.env, readEvent(process.env.GITHUB_EVENT_PATH)),
    env: process.env,
    platform: process.platform,
    annotations: new StepAnnotations(),
    signal,
  }),
);
