import { z } from 'zod';
import { name } from './config-values.ts';
import { gridOf, isArgument, sweptName, sweptValues } from './swept-values.ts';

const valuesText = z.string().transform((text, context) => {
  const values = sweptValues(text);
  if (typeof values !== 'string') return values;
  context.addIssue({ code: 'custom', message: values });
  return z.NEVER;
});

const sweepSchema = z
  .strictObject({
    cell: z
      .string()
      .regex(/^[^@]+@[^@]+$/, 'expected scenario@load')
      .describe('The load of each value, as `scenario@load`.'),
    set: z
      .record(sweptName, valuesText)
      .default({})
      .describe(
        "Values of a variable of the stack, as `1..10,17,50`. All combinations are measured. A name that begins with a dash is an argument of the service's command, which each value replaces.",
      ),
    variants: z
      .array(z.record(sweptName, z.string()))
      .default([])
      .describe(
        'Values that belong together, each as a map like `set` with one value per name. `{}` is the service as it is.',
      ),
  })
  .refine(
    ({ set, variants }) =>
      gridOf(
        Object.entries(set).map(([variable, values]) => ({ name: variable, values })),
        variants,
      ).length > 1,
    'expected at least two values to compare, in `set` or `variants`',
  );

export const sweepsSchema = z
  .record(name, sweepSchema)
  .default({})
  .describe('What `gate sweep NAME` compares, under names of your choice.');

interface SweepProblem {
  readonly path: PropertyKey[];
  readonly message: string;
  readonly params?: { readonly unknownCell: true };
}

/** What other keys of the configuration say against its sweeps. `command` starts the service, if it is no container. */
export function sweepProblems(
  sweeps: z.output<typeof sweepsSchema>,
  cells: ReadonlySet<string>,
  command: readonly string[] = [],
): readonly SweepProblem[] {
  return Object.entries(sweeps).flatMap(([sweep, { cell, set, variants }]) => {
    const keys = [
      ...Object.keys(set).map((key) => ['set', key] as const),
      ...variants.flatMap((one, index) => Object.keys(one).map((key) => ['variants', index, key] as const)),
    ];
    const unknown = keys.filter((path) => {
      const key = String(path.at(-1));
      return isArgument(key) && !command.includes(key);
    });
    return [
      ...(cells.has(cell)
        ? []
        : [
            {
              path: ['sweeps', sweep, 'cell'],
              message: 'no such cell',
              params: { unknownCell: true } as const,
            },
          ]),
      ...unknown.map((path) => ({
        path: ['sweeps', sweep, ...path],
        message: 'expected an argument that `stack.process.service.command` has',
      })),
    ];
  });
}
