export { mayWriteBaseline, readStoredRuns, requireWritable } from './baseline-policy.ts';
export { baselineRefusal, storedRuns } from './baseline-refusal.ts';
export { branchHistory } from './branch-history.ts';
export { type CheckResult, check } from './check.ts';
export { type CheckPlan, mayMeasureBase } from './check-plan.ts';
export { judgeFirstOfSuite, judgeSuite, suiteOfRun } from './judge-suite.ts';
export { type FileChange, judgingChanges } from './judging-changes.ts';
export type {
  ArtifactRun,
  Attribution,
  BaselineStore,
  CheckPorts,
  CodeHost,
  CommentRequest,
  CommentResult,
  CommitStatus,
  EditableBaseline,
  HeadRun,
  PullRequest,
  PullRequestRun,
  ReportArtifact,
} from './ports.ts';
export { withReleases } from './since-releases.ts';
export { type SuiteOverrides, withOverrides } from './suite-overrides.ts';
