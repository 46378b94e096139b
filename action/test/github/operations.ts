/** GitHub's own description of its API, as published under the MIT licence. */
export const descriptionSource = '@octokit/openapi@23.0.2';

/** Every operation that the gate calls. */
export const operations = [
  { method: 'GET', path: '/repos/{owner}/{repo}/pulls' },
  { method: 'GET', path: '/repos/{owner}/{repo}/pulls/{pull_number}' },
  { method: 'GET', path: '/repos/{owner}/{repo}/pulls/{pull_number}/files' },
  { method: 'GET', path: '/repos/{owner}/{repo}/compare/{basehead}' },
  { method: 'GET', path: '/repos/{owner}/{repo}/contents/{path}' },
  { method: 'GET', path: '/repos/{owner}/{repo}/collaborators/{username}/permission' },
  { method: 'GET', path: '/repos/{owner}/{repo}/commits/{commit_sha}/pulls' },
  { method: 'GET', path: '/repos/{owner}/{repo}/actions/runs' },
  { method: 'GET', path: '/repos/{owner}/{repo}/issues/{issue_number}/comments' },
  { method: 'POST', path: '/repos/{owner}/{repo}/issues/{issue_number}/comments' },
  { method: 'PATCH', path: '/repos/{owner}/{repo}/issues/comments/{comment_id}' },
  { method: 'DELETE', path: '/repos/{owner}/{repo}/issues/comments/{comment_id}' },
  { method: 'POST', path: '/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions' },
  { method: 'POST', path: '/repos/{owner}/{repo}/statuses/{sha}' },
  { method: 'GET', path: '/repos/{owner}/{repo}/actions/runs/{run_id}' },
  { method: 'GET', path: '/repos/{owner}/{repo}/actions/runs/{run_id}/artifacts' },
  { method: 'GET', path: '/repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}' },
] as const;
