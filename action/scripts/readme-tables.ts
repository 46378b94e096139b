import { markdownTable } from 'markdown-table';
import { isMap, isPair, isScalar, type Pair, parse, parseDocument } from 'yaml';
import { z } from 'zod';

const actionSchema = z.object({
  inputs: z.record(z.string(), z.object({ description: z.string(), default: z.string() })),
  outputs: z.record(z.string(), z.object({ description: z.string() })),
});

// Not padded: a longer description changes one line and not all.
const plain = { alignDelimiters: false } as const;

/** A pipe would end the cell; the texts are Markdown already. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

function code(text: string): string {
  return `\`${text}\``;
}

/** The inputs of an action.yml. */
export function inputsTable(actionYml: string): string {
  const { inputs } = actionSchema.parse(parse(actionYml));
  const rows = Object.entries(inputs).map(([name, input]) => [
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

interface Permission {
  readonly job: string;
  /** `contents: read`. */
  readonly grant: string;
  /** The comment beside it. */
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
      if (why === '') throw new Error(`${place}: say beside ${textOf(scope)} what ${job} needs it for`);
      return { job, grant: `${textOf(scope)}: ${textOf(access)}`, why };
    });
  });
}

/** Which job may do what, and what for: the comment beside the permission in its workflow. */
export function permissionsTable(workflows: ReadonlyMap<string, string>): string {
  const rows = [...workflows].flatMap(([file, text]) =>
    permissionsOf(text, file).map(({ grant, why }) => [code(file), code(grant), cell(why)]),
  );
  return markdownTable([['workflow', 'permission', 'what for'], ...rows], plain);
}

/** The text with each part between `<!-- NAME:begin -->` and `<!-- NAME:end -->` replaced. */
export function withParts(text: string, parts: Readonly<Record<string, string>>): string {
  return Object.entries(parts).reduce((before, [name, part]) => {
    const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
    const [from, to] = [before.indexOf(begin), before.indexOf(end)];
    if (from === -1 || to < from) throw new Error(`there is no ${begin} with an end after it`);
    return `${before.slice(0, from + begin.length)}\n\n${part}\n\n${before.slice(to)}`;
  }, text);
}
