import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  CancelledJob,
  event,
  noEngine,
  type PhaseName,
  phases,
  phasesBeside,
  type StackKind,
} from './cancelled-job.ts';
import type { TinyProject } from './gate.ts';
import { type FakeRunner, type RunningStep, runnerPatienceMs, type StepResult } from './runner.ts';

/** Cancels and kills a job in each of its phases, on one of the stacks. */
export function itLeavesNothing(stack: StackKind): void {
  let job: CancelledJob;
  let project: TinyProject;
  let runner: FakeRunner;
  /** How long the steps took to end after they were cancelled. */
  const endedAfterMs: number[] = [];

  /** Cancels a step that ends on its own. How fast it does so is printed, because a test cannot tell on a busy machine. */
  async function cancelled(step: RunningStep): Promise<StepResult> {
    const from = performance.now();
    const result = await step.cancel();
    endedAfterMs.push(performance.now() - from);
    return result;
  }

  afterAll(() => {
    if (endedAfterMs.length === 0) return;
    const slowest = (Math.max(...endedAfterMs) / 1000).toFixed(1);
    const most = (runnerPatienceMs / 1000).toFixed(0);
    process.stdout.write(
      `${endedAfterMs.length} cancelled steps with the ${stack} stack ended within ${slowest} s; GitHub's runner waits ${most} s\n`,
    );
  });

  beforeEach(async () => {
    job = await CancelledJob.begin();
    ({ project, runner } = job);
  });

  afterEach(() => job.end());

  describe.skipIf(stack === 'compose' && noEngine !== undefined)(
    `a job that is cancelled, with the ${stack} stack, leaves nothing`,
    () => {
      it.each(Object.keys(phases) as PhaseName[])('in the phase %s', async (name) => {
        const step = await job.stepIn(name, stack);
        const { code, log, ...result } = await cancelled(step);
        // Once everything is measured, the rest of the work may be shorter than giving it up.
        expect(name === 'stop' || name === 'judging' ? [0, 130] : [130], log).toContain(code);
        expect(await job.cleanUp(stack, result)).toContain('nothing was left running');
      });

      it.each(['build', 'data', 'boot', 'warm-up', 'load'] as const)(
        'when it is killed outright in the phase %s',
        async (name) => {
          const step = await job.stepIn(name, stack);
          step.process.kill('SIGKILL');
          expect(await job.cleanUp(stack, await step.done)).toContain('ended what was left running');
        },
      );

      it('after SIGTERM alone', async () => {
        const step = await job.stepIn('load', stack);
        step.process.kill('SIGTERM');
        const { code, log, ...result } = await step.done;
        expect(code, log).toBe(143);
        expect(await job.cleanUp(stack, result)).toContain('nothing was left running');
      });

      it.each(['data', 'load'] as const)('of what ignores every signal in the phase %s', async (name) => {
        const step = await job.stepIn(name, stack, { STUBBORN: 'yes' });
        const result = await step.cancel(stack === 'process' ? 'strict' : undefined);
        // Containers are killed at once; for a process it was still waiting when the runner lost its patience.
        const [code, said] =
          stack === 'compose' ? [130, 'nothing was left running'] : [null, 'ended what was left running'];
        expect(result.code, result.log).toBe(code);
        expect(await job.cleanUp(stack, result)).toContain(said);
      });

      describe('of two sides that are measured interleaved', () => {
        const inputs = {
          config: 'gate.yml',
          stack,
          compare: 'side-by-side',
          'base-ref': 'HEAD',
          comment: 'always',
        };

        beforeEach(async () => {
          job.commit();
          // Its own roles, so that head can be the one that hangs.
          await project.edit('HANG === role', 'HANG === `head: ${role}`', 'stubborn.mjs');
        });

        /** Has begun the phase, and is in it. */
        async function stepAt(name: keyof typeof phasesBeside): Promise<RunningStep> {
          const hangs = phasesBeside[name]?.[stack];
          const step = await runner.start('main', event, inputs, {
            ...job.environment(stack),
            ...(hangs === undefined ? {} : { HANG: hangs }),
          });
          await step.printed(new RegExp(`… ${name}`));
          return step;
        }

        it.each(Object.keys(phasesBeside) as (keyof typeof phasesBeside)[])(
          'in the phase %s',
          async (name) => {
            const { code, log, ...result } = await cancelled(await stepAt(name));
            expect(name === 'stop' ? [0, 130] : [130], log).toContain(code);
            expect(await job.cleanUp(stack, result)).toContain('nothing was left running');
          },
        );

        it('when it is killed outright', async () => {
          const step = await stepAt('load');
          step.process.kill('SIGKILL');
          const said = await job.cleanUp(stack, await step.done);
          expect(said.match(stack === 'compose' ? /\d containers?/g : /service \(/g)).toHaveLength(2);
        });
      });
    },
  );
}
