import { spawnSync } from 'node:child_process';

/**
 * Why a program that tests need does not run on this machine; undefined if it does. Throws with GATE_TOOLS=required,
 * which `./gate test --tools` sets so that no test is skipped.
 */
export function lackOfTool(program: string, tests: string, version = '--version'): string | undefined {
  const { status, error } = spawnSync(program, [version], { timeout: 60_000 });
  if (status === 0) return undefined;
  const reason = `${program} does not run: ${error?.message ?? `it ended with ${status}`}`;
  if (process.env.GATE_TOOLS === 'required') throw new Error(`GATE_TOOLS=required, and ${reason}`);
  process.stderr.write(`${tests} are skipped: ${reason}\n`);
  return reason;
}
