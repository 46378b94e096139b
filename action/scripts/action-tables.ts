import { markdownTable } from 'markdown-table';
import { isMap, isPair, isScalar, type Pair, parse, parseDocument } from 'yaml';
import { z } from 'zod';

const actionSchema = z.object({
  inputs: z.record(z.string(), z.object({ description: z.string(), default: z.string() })),
  outputs: z.record(z.string(), z.object({ description: z.string() })),
});

/** Without padding, a longer description changes one line of the table and not all. */
export const plain = { alignDelimiters: false } as const;

/** The texts are Markdown already, but a pipe would end the cell. */
export function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

export function code(text: string): string {
  return `\`${text}\``;
}

/** The inputs of an action.yml: those that are named, or all. */
export function inputsTable(actionYml: string, names?: readonly string[]): string {
  const { inputs } = actionSchema.parse(parse(actionYml));
  const unknown = names?.filter((name) => !Object.hasOwn(inputs, name)) ?? [];
  if (unknown.length > 0) throw new Error(`action.yml has no input ${unknown.join(', ')}`);
  const rows = Object.entries(inputs)
    .filter(([name]) => names?.includes(name) ?? true)
    .map(([name, input]) => [
      code(name),
      input.default === '' ? '' : code(input.default),
      cell(input.description),
    ]);
  return markdownTable([['input', 'default', 'meaning'], ...rows], plain);
}

/** The outputs of an action.yml. */
export function outputsTable(actionYml: string): string {
  const { outputs } = actionSchema.parse(parse(actionYml));
  const rows = Object.entries(outputs).map(([name, { description }]) => [code(name), cell(description)]);
  return markdownTable([['output', 'meaning'], ...rows], plain);
}

/** The action.yml of `action/` for the folder above it. */
export function atTheTop(actionYml: string): string {
  const moved = actionYml.replace(/^( {2}(?:main|post): )dist\//gm, '$1action/dist/');
  return `# Made from action/action.yml by \`npm run generate\` in action/.\n${moved}`;
}

interface Permission {
  /** `contents: read`. */
  readonly grant: string;
  /** The comment after it. */
  readonly why: string;
}

function pairsOf(node: unknown): readonly Pair[] {
  return isMap(node) ? node.items.filter((item) => isPair(item)) : [];
}

function textOf(node: unknown): string {
  return isScalar(node) ? String(node.value) : '';
}

function permissionsOf(workflow: string, place: string): Permission[] {
  const document = parseDocument(workflow);
  return pairsOf(document.get('jobs')).flatMap(({ key, value }) => {
    const job = textOf(key);
    const granted = pairsOf(isMap(value) ? value.get('permissions') : undefined);
    return granted.map(({ key: scope, value: access }): Permission => {
      const why = isScalar(access) ? (access.comment?.trim() ?? '') : '';
      if (why === '') {
        throw new Error(`${place}: add a comment after ${textOf(scope)} that says why ${job} needs it`);
      }
      return { grant: `${textOf(scope)}: ${textOf(access)}`, why };
    });
  });
}

/** Each permission of each workflow with its reason, the comment after it. */
export function permissionsTable(workflows: ReadonlyMap<string, string>): string {
  const rows = [...workflows].flatMap(([file, text]) =>
    permissionsOf(text, file).map(({ grant, why }) => [code(file), code(grant), cell(why)]),
  );
  return markdownTable([['workflow', 'permission', 'why'], ...rows], plain);
}
