import type { CodeHost } from '../../check/index.ts';
import { headRuns, mayWrite, mergedPullRequest, openPullRequest } from './accepting.ts';
import { hasArtifact, readArtifact } from './artifact.ts';
import { changedFiles, isInBase, readFile } from './changes.ts';
import { connectGitHub, type GitHubOptions, githubFault } from './client.ts';
import { findComment, putComment, react } from './comments.ts';
import { attribute } from './pull-requests.ts';
import { setStatus } from './statuses.ts';

/** One repository on GitHub. */
export function createGitHub(options: GitHubOptions): CodeHost {
  const github = connectGitHub(options);
  return {
    async attribute(run) {
      try {
        return await attribute(github, run);
      } catch (error) {
        throw githubFault(error, `${options.owner}/${options.name}: pull requests of run ${run.id}`);
      }
    },
    readArtifact: (run, artifact, file) => readArtifact(github, run, artifact, file),
    hasArtifact: (run, artifact) => hasArtifact(github, run, artifact),
    putComment: (request) => putComment(github, request),
    setStatus: (status) => setStatus(github, status),
    openPullRequest: (number) => openPullRequest(github, number),
    mergedPullRequest: (commit) => mergedPullRequest(github, commit),
    headRuns: (pullRequest) => headRuns(github, pullRequest),
    findComment: (request) => findComment(github, request),
    mayWrite: (login) => mayWrite(github, login),
    react: (commentId, done) => react(github, commentId, done),
    changedFiles: (pullRequest) => changedFiles(github, pullRequest),
    readFile: (commit, path) => readFile(github, commit, path),
    isInBase: (pullRequest, commit) => isInBase(github, pullRequest, commit),
  };
}
