import { spawnSync } from 'node:child_process';

/**
 * Why a program that the tests need does not run here; undefined if it does. With GATE_TOOLS=required, as `--tools`
 * sets it, that is no reason to skip them.
 *
 * @param variable names the program's path if it is not on PATH
 */
export function lackOfTool(program: string, tests: string, variable?: string): string | undefined {
  const path = (variable === undefined ? undefined : process.env[variable]) ?? program;
  const { status, error } = spawnSync(path, ['--version'], { timeout: 20_000 });
  if (status === 0) return undefined;
  const reason = `${program} is not here: ${error?.message ?? `it ended with ${status}`}`;
  if (process.env.GATE_TOOLS === 'required') throw new Error(`GATE_TOOLS=required, and ${reason}`);
  process.stderr.write(`${tests} are skipped: ${reason}\n`);
  return reason;
}
