import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { ProcessStackConfig } from '../../model/config.ts';
import { Fault } from '../../model/fault.ts';
import type { Leftovers } from '../host/index.ts';
import { ManagedProcess } from './managed-process.ts';

export type BuildStep = Pick<ProcessStackConfig['build'][number], 'command' | 'inputs' | 'outputs'>;

export interface BuildContext {
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder that records which inputs each step was last built from. */
  readonly stampDirectory: string;
  readonly logFile: string;
  readonly leftovers: Leftovers;
  readonly note: (text: string) => void;
  /** Masks secrets in the output of the steps. */
  readonly masked: (text: string) => string;
}

/** Runs the steps that name no inputs, whose inputs changed since they last succeeded, or whose outputs are missing. */
export async function runBuildSteps(
  steps: readonly BuildStep[],
  context: BuildContext,
  signal: AbortSignal,
): Promise<void> {
  mkdirSync(context.stampDirectory, { recursive: true });
  for (const step of steps) {
    const stamp = join(
      context.stampDirectory,
      createHash('sha256').update(step.command.join('\0')).digest('hex').slice(0, 16),
    );
    const inputs = step.inputs === undefined ? undefined : hashInputs(step, step.inputs, context.root);
    const upToDate =
      inputs !== undefined &&
      step.outputs.every((output) => existsSync(join(context.root, output))) &&
      existsSync(stamp) &&
      readFileSync(stamp, 'utf8') === inputs;
    if (upToDate) continue;
    context.note(`building ${step.outputs.join(', ')}`);
    await runStep(step, context, signal);
    if (inputs !== undefined) writeFileSync(stamp, inputs);
  }
}

async function runStep(step: BuildStep, context: BuildContext, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const child = await ManagedProcess.start({
    command: step.command,
    cwd: context.root,
    env: context.env,
    logFile: context.logFile,
    onStart: (pid) => context.leftovers.add('build step', pid),
    masked: context.masked,
  });
  const onAbort = () => void child.stop(2);
  signal.addEventListener('abort', onAbort, { once: true });
  // The abort may have come while the command started.
  if (signal.aborted) onAbort();
  const { code } = await child.exit;
  signal.removeEventListener('abort', onAbort);
  // Ends what the command has left running.
  await child.stop(0);
  context.leftovers.remove(child.pid);
  signal.throwIfAborted();
  const missing = step.outputs.filter((output) => !existsSync(join(context.root, output)));
  if (code === 0 && missing.length === 0) return;
  throw new Fault({
    code: 'E_BUILD',
    kind: 'usage',
    place: step.command.join(' '),
    cause:
      code === 0
        ? `the command did not write ${missing.join(', ')}`
        : `the command ended with exit code ${code}`,
    nextStep: `run it by hand in ${context.root} and fix it, or correct \`build\` in gate.yml`,
    logTail: child.logTail(),
  });
}

/** Hashes names and contents. Modification times would trigger a build after every checkout. */
function hashInputs(step: BuildStep, inputs: readonly string[], root: string): string {
  const hash = createHash('sha256');
  for (const input of inputs) {
    const path = join(root, input);
    if (!existsSync(path)) {
      throw new Fault({
        code: 'E_BUILD_INPUT',
        kind: 'usage',
        place: input,
        cause: `the build step "${step.command.join(' ')}" reads an input that does not exist`,
        nextStep: 'correct `inputs` in gate.yml',
      });
    }
    for (const file of filesBelow(path)) {
      hash.update(relative(root, file)).update('\0').update(readFileSync(file)).update('\0');
    }
  }
  return hash.digest('hex');
}

function filesBelow(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
