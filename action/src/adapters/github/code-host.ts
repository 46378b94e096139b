import type { CodeHost } from '../../check/index.ts';
import { readArtifact } from './artifact.ts';
import { createGitHubClient, githubFault } from './client.ts';
import { type CommentOptions, putComment } from './comments.ts';
import { attribute } from './pull-requests.ts';

/** One repository on GitHub. */
export function createGitHub(options: CommentOptions): CodeHost {
  const client = createGitHubClient(options);
  const explained = async <T>(place: string, work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw githubFault(error, `${options.owner}/${options.name}: ${place}`);
    }
  };
  return {
    attribute: (run) => explained(`pull requests of run ${run.id}`, attribute(client, options, run)),
    readArtifact: (run, artifact, file) => readArtifact(client, options, run, artifact, file),
    putComment: (request) => putComment(client, options, request),
  };
}
