import { Fault } from '../../model/fault.ts';
import { openCodeHost } from '../github/comment.ts';
import { acceptByComment } from './accept-command.ts';
import { nothingToDo, type PublishAction, publishRun } from './publish-run.ts';

/**
 * The trusted side. It judges the figures of a pull request's job again, with this repository's own configuration and
 * baseline, and comments in its own words on the pull request that GitHub names.
 */
export async function publishAction(action: PublishAction): Promise<number> {
  const { trigger } = action.job;
  switch (trigger.kind) {
    case 'workflow-run':
      return trigger.run === undefined
        ? nothingToDo('that run did not belong to a pull request')
        : publishRun(action, openCodeHost(action), trigger.run);
    case 'comment':
      return acceptByComment(action, openCodeHost(action), trigger.comment);
    default:
      throw new Fault({
        code: 'E_PUBLISH_TRIGGER',
        kind: 'usage',
        place: 'perf-gate/publish',
        cause: 'neither a finished workflow nor a comment on a pull request started this job',
        nextStep: 'use it in a workflow that runs `on: workflow_run` or `on: issue_comment`',
      });
  }
}
