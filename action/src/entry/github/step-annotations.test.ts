import { afterEach, expect, it, vi } from 'vitest';
import { StepAnnotations } from './step-annotations.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

it('counts annotations by level', () => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const step = new StepAnnotations();
  expect(step.made).toEqual({ error: 0, warning: 0, notice: 0 });
  step.make('warning', 'the cache is down', { title: 'perf-gate: cache' });
  step.make('warning', 'no comment');
  step.make('error', 'slower', { file: 'perf/gate.yml', startLine: 6 });
  expect(step.made).toEqual({ error: 1, warning: 2, notice: 0 });
  expect(write.mock.calls.map(([chunk]) => chunk)).toEqual([
    '::warning title=perf-gate%3A cache::the cache is down\n',
    '::warning::no comment\n',
    '::error file=perf/gate.yml,line=6::slower\n',
  ]);
});
