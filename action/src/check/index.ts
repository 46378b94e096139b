export { mayWriteBaseline, readStoredRuns, requireWritable } from './baseline-policy.ts';
export { storedRuns } from './baseline-refusal.ts';
export { type CheckResult, check } from './check.ts';
export { type CheckPlan, mayMeasureBase } from './check-plan.ts';
export { judgeSuite } from './judge-suite.ts';
export type {
  ArtifactRun,
  Attribution,
  BaselineStore,
  CheckPorts,
  CodeHost,
  CommentRequest,
  CommentResult,
  CommitStatus,
  PullRequest,
  PullRequestRun,
  ReportArtifact,
} from './ports.ts';
export { type SuiteOverrides, withOverrides } from './suite-overrides.ts';
