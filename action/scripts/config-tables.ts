import { markdownTable } from 'markdown-table';
import { z } from 'zod';
import { cell, code, plain } from './action-tables.ts';

interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
}

interface Key {
  /** `stack.process.build[].command`. */
  readonly path: string;
  /** The key as gate.yml has it. */
  readonly written: Schema;
  /** The key as the gate works with it: only this one carries the default of a duration or percentage. */
  readonly read: Schema | undefined;
  readonly required: boolean;
}

/** Name that the tables give to a key that the user chooses. */
const chosenNames: Readonly<Record<string, string>> = {
  scenarios: '<scenario>',
  loads: '<load>',
  suites: '<suite>',
  signals: '<signal>',
  sweeps: '<sweep>',
};

function isDuration({ pattern }: Schema): boolean {
  return pattern?.includes('ms|s|m|h') ?? false;
}

function isPercentage({ pattern }: Schema): boolean {
  return pattern?.endsWith('%$') ?? false;
}

function hasKeys(schema: Schema): boolean {
  return schema.properties !== undefined || typeof schema.additionalProperties === 'object';
}

/** The keys below a schema, depth first, so that each one follows the key that holds it. */
function keysBelow(written: Schema, read: Schema | undefined, path: string): Key[] {
  return Object.entries(written.properties ?? {}).flatMap(([name, schema]) =>
    keyWithChildren(
      {
        path: path === '' ? name : `${path}.${name}`,
        written: schema,
        read: read?.properties?.[name],
        required: written.required?.includes(name) ?? false,
      },
      name,
    ),
  );
}

function keyWithChildren(key: Key, name: string): Key[] {
  const { path, read } = key;
  // One section or a list of them: the keys are the same.
  const written = key.written.anyOf?.find(hasKeys) ?? key.written;
  const values = written.additionalProperties;
  if (typeof values === 'object' && hasKeys(values)) {
    const readValues = read?.additionalProperties;
    return [
      key,
      ...keysBelow(
        values,
        typeof readValues === 'object' ? readValues : undefined,
        `${path}.${chosenNames[name] ?? '<name>'}`,
      ),
    ];
  }
  if (written.items !== undefined && hasKeys(written.items)) {
    return [key, ...keysBelow(written.items, read?.items, `${path}[]`)];
  }
  return [key, ...keysBelow(written, read, path)];
}

function withinText({ minimum, maximum, exclusiveMinimum, minLength, maxLength, minItems }: Schema): string {
  if (exclusiveMinimum !== undefined) return `, more than ${exclusiveMinimum}`;
  if (minLength !== undefined && maxLength !== undefined) return `, ${minLength} to ${maxLength} characters`;
  if (minLength !== undefined && minLength > 0) return ', not empty';
  if (minItems !== undefined) return `, at least ${minItems}`;
  const most = maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
  if (minimum !== undefined && most !== undefined) return `, ${minimum} to ${most}`;
  return minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? '' : `, at least ${minimum}`;
}

function typeText(schema: Schema): string {
  if (schema.const !== undefined) return code(String(schema.const));
  if (schema.enum !== undefined) return schema.enum.map((value) => code(String(value))).join(', ');
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeText).join(' or ');
  if (isDuration(schema)) return schema.pattern?.startsWith('^(?=') ? 'duration, more than 0' : 'duration';
  if (isPercentage(schema)) return 'percentage';
  const within = withinText(schema);
  switch (schema.type) {
    case 'array':
      return `list of ${schema.items === undefined || hasKeys(schema.items) ? 'sections' : `${typeText(schema.items).split(',')[0]}s`}${within}`;
    case 'object':
      if (typeof schema.additionalProperties !== 'object') return 'section';
      return hasKeys(schema.additionalProperties)
        ? 'map of sections'
        : `map of ${typeText(schema.additionalProperties).split(',')[0]}s`;
    case 'string':
      return `text${within}`;
    case 'boolean':
      return '`true`, `false`';
    default:
      return `${schema.type ?? 'value'}${within}`;
  }
}

function durationText(seconds: number): string {
  return seconds >= 60 && seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`;
}

function defaultText({ written, read, required }: Key): string {
  if (required) return 'required';
  const value = written.default ?? read?.default;
  if (
    value === undefined ||
    JSON.stringify(value) === '{}' ||
    JSON.stringify(value) === '[]' ||
    value === ''
  ) {
    return '';
  }
  if (typeof value === 'number' && isDuration(written)) return code(durationText(value));
  if (typeof value === 'number' && isPercentage(written)) return code(`${Number((value * 100).toFixed(6))}%`);
  return code(String(value));
}

/** A table of keys for each top-level key that has keys of its own, after one for the others. */
export function configTables(schema: z.ZodType): string {
  const written = z.toJSONSchema(schema, { io: 'input' }) as Schema;
  const read = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }) as Schema;
  const sections = Map.groupBy(keysBelow(written, read, ''), ({ path }) => {
    const top = path.split(/[.[]/)[0] ?? '';
    const holder = written.properties?.[top];
    return holder !== undefined && hasKeys(holder.items ?? holder) ? top : '';
  });
  return [...sections]
    .toSorted(([one], [other]) => (one === '' ? -1 : other === '' ? 1 : 0))
    .map(([top, keys]) => {
      // A section without a description says nothing that its keys do not.
      const shown = keys.filter(
        ({ written: own }) => typeText(own) !== 'section' || own.description !== undefined,
      );
      const rows = shown.map((key) => [
        code(key.path),
        cell(typeText(key.written)),
        defaultText(key),
        cell(key.written.description ?? ''),
      ]);
      const table = markdownTable([['key', 'type', 'default', 'meaning'], ...rows], plain);
      return `## ${top === '' ? 'Top level' : code(top)}\n\n${table}`;
    })
    .join('\n\n');
}
