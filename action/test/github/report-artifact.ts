import { archiveOf } from './archive.ts';
import type { FakeGitHub } from './fake-github.ts';

/** Keeps a report for the run, as actions/upload-artifact does. */
export async function keepReport(
  github: FakeGitHub,
  report: string,
  { name, headSha }: { readonly name: string; readonly headSha: string },
): Promise<void> {
  const archive = await archiveOf({ name: 'report.json', content: report });
  github.artifacts = [{ id: 11, name, runId: 42, headSha, archive }];
}
