/** What a code host says about the event that started a job. Absent facts are empty texts. */
export interface HostEvent {
  /** Such as `push` or `pull_request`. */
  readonly name: string;
  /** Full name of what was pushed, such as `refs/heads/main`. */
  readonly ref: string;
  /** Short name, such as `main`. */
  readonly defaultBranch: string;
  /** `owner/name` of the repository that the job runs for. */
  readonly repository: string;
  /** `owner/name` of the repository that the code comes from. */
  readonly headRepository: string;
  /** True if that one is a fork of the other. */
  readonly fromFork: boolean;
}

/**
 * True only for a push to the default branch of the same repository: all later pull requests are held to what is
 * written then. A workflow's YAML says so too, but a workflow is copied and changed; this is not.
 *
 * It is part of the use case that records a baseline, not of judging a run, and both entries (Action and command line)
 * need the same answer, so it stands here.
 */
export function mayWriteBaseline(event: HostEvent): boolean {
  return (
    event.name === 'push' &&
    event.defaultBranch !== '' &&
    event.ref === `refs/heads/${event.defaultBranch}` &&
    event.repository !== '' &&
    event.repository === event.headRepository &&
    !event.fromFork
  );
}
