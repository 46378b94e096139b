import { type Document, isAlias, LineCounter, parseDocument, visit, type YAMLError } from 'yaml';
import type { z } from 'zod';
import { Fault } from '../../model/fault.ts';

/** One mistake in a YAML file. */
export interface Problem {
  readonly code: string;
  /** Position in the text, in characters from its start. */
  readonly offset: number;
  readonly cause: string;
  readonly nextStep: string;
}

const mostProblemsShown = 10;
/** Limits how large a few nested anchors can grow. */
const maxAliasCount = 100;

const syntaxHint = 'fix the YAML there: check the indentation, the brackets and the quotes';

function syntaxProblem(offset: number, cause: string, nextStep = syntaxHint): Problem {
  return { code: 'E_CONFIG_SYNTAX', offset, cause, nextStep };
}

function yamlProblem({ code, pos: [offset], message }: YAMLError): Problem {
  switch (code) {
    case 'DUPLICATE_KEY':
      return syntaxProblem(offset, 'this mapping has the same key twice', 'remove one of the two');
    case 'NON_STRING_KEY':
      return syntaxProblem(offset, 'a key must be text');
    case 'MULTIPLE_DOCS':
      return syntaxProblem(offset, 'a second document starts here', 'keep one document per file');
    case 'RESOURCE_EXHAUSTION':
      return syntaxProblem(offset, 'the nesting is too deep');
    default:
      return syntaxProblem(offset, message);
  }
}

/** Position of the first alias that has no anchor before it. */
function unresolvedAlias(document: Document): number {
  const anchors = new Set<string>();
  let offset = 0;
  visit(document, {
    Node: (_, node) => {
      if (isAlias(node) && !anchors.has(node.source)) {
        offset = node.range?.[0] ?? 0;
        return visit.BREAK;
      }
      if (!isAlias(node) && node.anchor !== undefined) anchors.add(node.anchor);
      return undefined;
    },
  });
  return offset;
}

function aliasProblem(document: Document, { message }: Error): Problem {
  if (!message.startsWith('Unresolved alias')) {
    return syntaxProblem(0, message, 'write the values out instead of repeating aliases');
  }
  const nextStep = 'define `&name` before `*name`';
  return syntaxProblem(unresolvedAlias(document), 'this alias has no anchor before it', nextStep);
}

/** The document with its values; without them if the syntax is broken. */
interface Parsed {
  readonly content?: { readonly document: Document; readonly data: unknown };
  readonly problems: readonly Problem[];
}

function parse(text: string, lineCounter: LineCounter): Parsed {
  let document: Document;
  try {
    document = parseDocument(text, {
      lineCounter,
      prettyErrors: false,
      logLevel: 'error',
      stringKeys: true,
    });
  } catch (error) {
    // The parser is recursive, so thousands of levels exhaust its stack.
    if (error instanceof RangeError) return { problems: [syntaxProblem(0, 'the nesting is too deep')] };
    throw error;
  }
  const tooDeep = document.errors.find(({ code }) => code === 'RESOURCE_EXHAUSTION');
  if (tooDeep !== undefined) return { problems: [yamlProblem(tooDeep)] };
  const problems = [...document.errors, ...document.warnings].map(yamlProblem);
  // The values can be checked only if the syntax is valid; duplicate keys do not matter for that.
  if (document.errors.some(({ code }) => code !== 'DUPLICATE_KEY')) return { problems };
  try {
    return { content: { document, data: document.toJS({ maxAliasCount }) }, problems };
  } catch (error) {
    return { problems: [...problems, aliasProblem(document, error as Error)] };
  }
}

/** What a file has to be. */
interface FileKind<T> {
  readonly schema: z.ZodType<T>;
  /** Explains what the schema refuses. */
  readonly problemsOf: (
    issues: readonly z.core.$ZodIssue[],
    document: Document,
    data: unknown,
  ) => readonly Problem[];
}

/**
 * Checks the text of a file, which messages call `shown`. A wrong one gives one Fault that names its first ten problems.
 */
export function readYaml<T>(text: string, shown: string, { schema, problemsOf }: FileKind<T>): T {
  const lines = new LineCounter();
  const { content, problems: found } = parse(text, lines);
  const checked = content && schema.safeParse(content.data);
  if (checked?.success && found.length === 0) return checked.data;
  const refused =
    content && checked?.error ? problemsOf(checked.error.issues, content.document, content.data) : [];
  const problems = [...found, ...refused].toSorted((one, other) => one.offset - other.offset);

  const placeOf = ({ offset }: Problem) => {
    const { line, col } = lines.linePos(offset);
    return `${shown}:${Math.max(line, 1)}:${Math.max(col, 1)}`;
  };
  const [first, ...rest] = problems;
  if (first === undefined) throw new Error(`${shown} is refused without a reason`);
  const others = rest
    .slice(0, mostProblemsShown - 1)
    .map((problem) => `${placeOf(problem)}: ${problem.cause}`);
  const hidden = rest.length - others.length;
  throw new Fault({
    code: first.code,
    kind: 'usage',
    place: placeOf(first),
    cause: [first.cause, ...others, ...(hidden > 0 ? [`and ${hidden} more`] : [])].join('\n'),
    nextStep: first.nextStep,
  });
}
