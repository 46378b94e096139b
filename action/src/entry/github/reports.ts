import { readFileSync } from 'node:fs';
import * as core from '@actions/core';
import { configLines } from '../../adapters/config/index.ts';
import type { CheckRecord } from '../../model/record.ts';
import type { Verdict } from '../../model/verdict.ts';
import {
  type Annotation,
  type AnnotationCounts,
  annotations,
  commentMarker,
  type ReportFile,
  reporters,
  reportFiles,
} from '../../report/index.ts';

export interface ReportContext {
  /** Absolute path of gate.yml. */
  readonly configFile: string;
  /** Relative to the repository. */
  readonly configPath: string;
  /** The command that repeats the check; undefined if the repository does not contain the gate. */
  readonly command: string | undefined;
  readonly repositoryUrl: string;
  readonly runUrl: string;
  readonly branch: string;
  readonly fork?: string;
  readonly storedIn?: string;
  /** A line that the comment keeps out of sight for later runs. */
  readonly state?: string;
}

export interface ActionReports {
  readonly marker: string;
  readonly comment: string;
  summary(withoutComment: string | undefined): string;
  files(record: CheckRecord | undefined): readonly ReportFile[];
  /** Those that GitHub still shows after the annotations that the step has made. */
  annotations(before: AnnotationCounts): readonly Annotation[];
}

/** The verdict in every form that a workflow shows. */
export function actionReports(verdict: Verdict, context: ReportContext): ActionReports {
  const { configPath, command, repositoryUrl, runUrl, branch, fork, storedIn, state } = context;
  const marker = commentMarker(configPath, verdict.suite);
  const step = {
    ...(command === undefined ? {} : { command }),
    recording: { kind: 'push', branch },
    configPath,
    ...(storedIn === undefined ? {} : { storedIn }),
  } as const;
  const options = {
    ...step,
    repositoryUrl,
    fullReport: { text: "the run's summary", url: runUrl },
    ...(fork === undefined ? {} : { fork }),
  };
  return {
    marker,
    comment: reporters.comment.render(verdict, {
      ...options,
      marker,
      ...(state === undefined ? {} : { state }),
    }),
    summary: (withoutComment) =>
      reporters.summary.render(verdict, {
        ...options,
        ...(withoutComment === undefined ? {} : { withoutComment }),
      }),
    files: (record) => reportFiles(verdict, { ...options, ...(record && { record }) }),
    annotations: (before) =>
      annotations(verdict, {
        ...step,
        before,
        locate: configLines(readFileSync(context.configFile, 'utf8'), configPath, verdict.suite),
      }),
  };
}

export function setOutputs(outputs: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(outputs)) core.setOutput(name, value);
}
