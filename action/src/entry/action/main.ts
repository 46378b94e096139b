import { getInput } from '@actions/core';
import { gateAction } from './gate-action.ts';
import { readGitHubJob } from './github-event.ts';
import { readGateInputs } from './inputs.ts';
import { readEvent, runAction } from './runner.ts';
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
