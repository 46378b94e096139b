import Bottleneck from 'bottleneck';
import type { GitHubOptions } from '../../src/adapters/github/index.ts';

/** GitHub's pauses in the same proportions, with a second that takes so many milliseconds. */
export function quickPace(secondMs = 5): Required<Pick<GitHubOptions, 'secondMs' | 'pauses'>> {
  return {
    secondMs,
    pauses: {
      write: new Bottleneck.Group({ maxConcurrent: 1, minTime: secondMs }),
      notifications: new Bottleneck.Group({ maxConcurrent: 1, minTime: 3 * secondMs }),
    },
  };
}
