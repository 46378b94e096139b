import { parseArgs } from 'node:util';

export const parts = ['lint', 'prose', 'unit', 'db', 'real', 'app', 'mysql'] as const;
export type Part = (typeof parts)[number];

export interface Options {
  readonly parts: readonly Part[];
  /** A test that needs a container engine fails without one, instead of being skipped. */
  readonly containers: boolean;
  /** A missing tool that only the tests use is a failure. */
  readonly tools: boolean;
}

/** The options of `./gate test`, or a sentence that says which one is wrong. */
export function readOptions(args: readonly string[]): Options | string {
  try {
    const { only, containers, tools } = parseArgs({
      args: [...args],
      options: {
        only: { type: 'string' },
        containers: { type: 'boolean', default: false },
        tools: { type: 'boolean', default: false },
      },
    }).values;
    const wanted = parts.filter((part) => only === undefined || part === only);
    if (wanted.length === 0) return `there is no part '${only}'; the parts are ${parts.join(', ')}`;
    return { parts: wanted, containers, tools };
  } catch (cause) {
    if (cause instanceof TypeError && 'code' in cause) return cause.message;
    throw cause;
  }
}
