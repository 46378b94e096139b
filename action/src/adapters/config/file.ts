import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Document, isAlias, LineCounter, parseDocument, visit, type YAMLError } from 'yaml';
import { type Config, configSchema } from '../../model/config.ts';
import { Fault } from '../../model/fault.ts';
import { shownPath } from '../host/index.ts';
import { type ConfigProblem, problemsOf } from './problem.ts';

interface LoadedConfig {
  readonly config: Config;
  /** Absolute folder of the file, from which its relative paths start. */
  readonly directory: string;
}

/** Much larger than any file that people write, and small enough to parse as a whole. */
const largestBytes = 256 * 1024;
const mostProblemsShown = 10;
/** Limits how large a few nested anchors can grow. */
const maxAliasCount = 100;

function unreadable(place: string, cause: string, nextStep: string, error?: unknown): Fault {
  return new Fault({ code: 'E_CONFIG_READ', kind: 'usage', place, cause, nextStep }, { cause: error });
}

function read(path: string, place: string): string {
  let bytes: Buffer;
  try {
    const { size } = statSync(path);
    if (size > largestBytes) {
      const cause = `the file has ${size} bytes; a configuration may have at most ${largestBytes}`;
      throw unreadable(place, cause, 'name the right file with --config');
    }
    bytes = readFileSync(path);
  } catch (error) {
    if (error instanceof Fault) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      throw new Fault(
        {
          code: 'E_CONFIG_MISSING',
          kind: 'usage',
          place,
          cause: 'no such file',
          nextStep:
            'run in the folder that contains perf/gate.yml, name the file with --config, or create one with `gate init`',
        },
        { cause: error },
      );
    }
    const cause = code === 'EISDIR' ? 'this is a folder, not a file' : `the file cannot be read (${code})`;
    throw unreadable(place, cause, 'name a readable file with --config', error);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    const nextStep = 'save it as UTF-8, or name the right file with --config';
    throw unreadable(place, 'the file is not UTF-8 text', nextStep, error);
  }
}

const syntaxHint = 'fix the YAML there: check the indentation, the brackets and the quotes';

function syntaxProblem(offset: number, cause: string, nextStep = syntaxHint): ConfigProblem {
  return { code: 'E_CONFIG_SYNTAX', offset, cause, nextStep };
}

function yamlProblem({ code, pos: [offset], message }: YAMLError): ConfigProblem {
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

function aliasProblem(document: Document, { message }: Error): ConfigProblem {
  if (!message.startsWith('Unresolved alias')) {
    return syntaxProblem(0, message, 'write the values out instead of repeating aliases');
  }
  const nextStep = 'define `&name` before `*name`';
  return syntaxProblem(unresolvedAlias(document), 'this alias has no anchor before it', nextStep);
}

type Parsed = { readonly config: Config } | { readonly problems: readonly ConfigProblem[] };

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
  let data: unknown;
  try {
    data = document.toJS({ maxAliasCount });
  } catch (error) {
    return { problems: [...problems, aliasProblem(document, error as Error)] };
  }
  const checked = configSchema.safeParse(data);
  if (checked.success) return problems.length === 0 ? { config: checked.data } : { problems };
  return { problems: [...problems, ...problemsOf(checked.error.issues, document, data)] };
}

/** Reads and checks a gate.yml. A wrong file gives one Fault that names its first ten problems. */
export function loadConfig(path: string): LoadedConfig {
  const absolute = resolve(path);
  const shown = shownPath(absolute);
  return { config: parseConfig(read(absolute, shown), shown), directory: dirname(absolute) };
}

/** Checks the text of a gate.yml, which messages call `shown`. */
export function parseConfig(text: string, shown: string): Config {
  const lines = new LineCounter();
  const parsed = parse(text, lines);
  if ('config' in parsed) return parsed.config;

  const problems = parsed.problems.toSorted((a, b) => a.offset - b.offset);
  const placeOf = ({ offset }: ConfigProblem) => {
    const { line, col } = lines.linePos(offset);
    return `${shown}:${Math.max(line, 1)}:${Math.max(col, 1)}`;
  };
  const [first = syntaxProblem(0, 'the file is not a configuration')] = problems;
  const others = problems
    .slice(1, mostProblemsShown)
    .map((problem) => `${placeOf(problem)}: ${problem.cause}`);
  const hidden = problems.length - 1 - others.length;
  throw new Fault({
    code: first.code,
    kind: 'usage',
    place: placeOf(first),
    cause: [first.cause, ...others, ...(hidden > 0 ? [`and ${hidden} more`] : [])].join('\n'),
    nextStep: first.nextStep,
  });
}
