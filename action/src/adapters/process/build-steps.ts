import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessStackConfig } from '../../model/config.ts';
import { Fault } from '../../model/fault.ts';
import { hashFiles } from './hash-files.ts';
import type { StackWork, StartOptions } from './stack-work.ts';

type BuildStep = Pick<ProcessStackConfig['build'][number], 'command' | 'inputs' | 'outputs'>;
type Env = Readonly<Record<string, string | undefined>>;

/** Runs the steps that name no inputs, whose inputs changed since they last succeeded, or whose outputs are missing. */
export async function runBuildSteps(
  steps: readonly BuildStep[],
  work: StackWork,
  env: Env,
  signal: AbortSignal,
): Promise<void> {
  const { root, workDirectory, note } = work.options;
  // Records which inputs each step was last built from.
  const stampDirectory = join(workDirectory, 'built');
  mkdirSync(stampDirectory, { recursive: true });
  for (const step of steps) {
    const name = createHash('sha256').update(step.command.join('\0')).digest('hex').slice(0, 16);
    const stamp = join(stampDirectory, name);
    const inputs = step.inputs === undefined ? undefined : hashInputs(step, step.inputs, root);
    const upToDate =
      inputs !== undefined &&
      missingOutputs(step, root).length === 0 &&
      existsSync(stamp) &&
      readFileSync(stamp, 'utf8') === inputs;
    if (upToDate) continue;
    note(`building ${step.outputs.join(', ')}`);
    await runStep(step, work, env, signal);
    if (inputs !== undefined) writeFileSync(stamp, inputs);
  }
}

async function runStep(step: BuildStep, work: StackWork, env: Env, signal: AbortSignal): Promise<void> {
  const { command } = step;
  const { root } = work.options;
  const { code, logTail } = await runCommand(
    work,
    { role: 'build step', log: 'build.log', command, env },
    signal,
  );
  const missing = missingOutputs(step, root);
  if (code === 0 && missing.length === 0) return;
  throw new Fault({
    code: 'E_BUILD',
    kind: 'usage',
    place: command.join(' '),
    cause:
      code === 0
        ? `the command did not write ${missing.join(', ')}`
        : `the command ended with exit code ${code}`,
    nextStep: `run it by hand in ${root} and fix it, or correct \`build\` in gate.yml`,
    logTail,
  });
}

/** Runs a command until it ends, and then ends what it has left running. */
export async function runCommand(
  work: StackWork,
  options: StartOptions,
  signal: AbortSignal,
): Promise<{ readonly code: number | null; readonly logTail: readonly string[] }> {
  signal.throwIfAborted();
  const child = await work.start(options);
  const onAbort = () => void child.stop(2);
  signal.addEventListener('abort', onAbort, { once: true });
  // The abort may have come while the command started.
  if (signal.aborted) onAbort();
  const { code } = await child.exit;
  signal.removeEventListener('abort', onAbort);
  await work.stop(child, 0);
  signal.throwIfAborted();
  return { code, logTail: child.logTail() };
}

function missingOutputs({ outputs }: BuildStep, root: string): readonly string[] {
  return outputs.filter((output) => !existsSync(join(root, output)));
}

function hashInputs(step: BuildStep, inputs: readonly string[], root: string): string {
  const hash = createHash('sha256');
  hashFiles(
    hash,
    inputs,
    root,
    (input) =>
      new Fault({
        code: 'E_BUILD_INPUT',
        kind: 'usage',
        place: input,
        cause: `the build step "${step.command.join(' ')}" reads an input that does not exist`,
        nextStep: 'correct `inputs` in gate.yml',
      }),
  );
  return hash.digest('hex');
}
