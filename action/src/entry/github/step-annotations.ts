import * as core from '@actions/core';
import type { Annotation, AnnotationCounts } from '../../report/index.ts';

const commands = { error: core.error, warning: core.warning, notice: core.notice } as const;

/** Counts the annotations of one step, because GitHub shows only a few of each level. */
export class StepAnnotations {
  readonly #made = { error: 0, warning: 0, notice: 0 };

  get made(): AnnotationCounts {
    return { ...this.#made };
  }

  make(level: Annotation['level'], message: string, properties: core.AnnotationProperties = {}): void {
    this.#made[level] += 1;
    commands[level](message, properties);
  }
}
