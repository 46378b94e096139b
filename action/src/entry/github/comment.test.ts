import { expect, it } from 'vitest';
import { commentNote } from './comment.ts';
import { StepAnnotations } from './step-annotations.ts';

it.each([
  ['Resource not accessible by integration', 'the token may not write to this pull request'],
  ['Unable to create comment because issue is locked.', 'the conversation of this pull request is locked'],
])('a comment refused with "%s" is reported as such', (cause, reported) => {
  const said = commentNote({ kind: 'refused', cause }, 'github-actions[bot]', new StepAnnotations());
  expect(said).toContain(reported);
});
