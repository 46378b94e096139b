import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Document, isAlias, LineCounter, parseDocument, visit, type YAMLError } from 'yaml';
import { type Config, configSchema } from '../../model/config.ts';
import { Fault } from '../../model/fault.ts';
import { shownPath } from '../host/index.ts';
import { type ConfigProblem, problemsOf } from './problem.ts';

export interface LoadedConfig {
  readonly config: Config;
  /** Absolute folder of the file: what its paths are relative to. */
  readonly directory: string;
  /** The file as it was read, for hashing. */
  readonly text: string;
}

/** Far beyond any hand-written file, and small enough to parse at once. */
const largestBytes = 256 * 1024;
const mostProblemsShown = 10;
/** Bounds what a few nested anchors can grow to. */
const maxAliasCount = 100;

function read(path: string, place: string): string {
  let bytes: Buffer;
  try {
    const { size } = statSync(path);
    if (size > largestBytes) {
      throw new Fault({
        code: 'E_CONFIG_READ',
        kind: 'usage',
        place,
        cause: `the file has ${size} bytes; a configuration has at most ${largestBytes}`,
        nextStep: 'name the right file with --config',
      });
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
          cause: 'there is no such file',
          nextStep:
            'run from the folder that holds perf/gate.yml, name the file with --config, or let `gate init` write one',
        },
        { cause: error },
      );
    }
    throw new Fault(
      {
        code: 'E_CONFIG_READ',
        kind: 'usage',
        place,
        cause: code === 'EISDIR' ? 'this is a folder, not a file' : `the file cannot be read (${code})`,
        nextStep: 'name a readable file with --config',
      },
      { cause: error },
    );
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new Fault(
      {
        code: 'E_CONFIG_READ',
        kind: 'usage',
        place,
        cause: 'the file is not UTF-8 text',
        nextStep: 'save it as UTF-8, or name the right file with --config',
      },
      { cause: error },
    );
  }
}

const syntaxHint = 'mend the YAML there: look at the indentation, the brackets and the quotes';

function syntaxProblem(offset: number, cause: string, nextStep = syntaxHint): ConfigProblem {
  return { code: 'E_CONFIG_SYNTAX', offset, cause, nextStep };
}

function understood({ code, pos, message }: YAMLError): ConfigProblem {
  switch (code) {
    case 'DUPLICATE_KEY':
      return syntaxProblem(pos[0], 'this key stands twice in its mapping', 'remove one of the two');
    case 'NON_STRING_KEY':
      return syntaxProblem(pos[0], 'a key must be text');
    case 'MULTIPLE_DOCS':
      return syntaxProblem(pos[0], 'a second document begins here', 'keep one document a file');
    case 'RESOURCE_EXHAUSTION':
      return syntaxProblem(pos[0], 'the nesting is too deep');
    default:
      return syntaxProblem(pos[0], message);
  }
}

/** Position of the first alias whose anchor does not stand before it, else the start. */
function unresolvedAlias(document: Document): number {
  const anchors = new Set<string>();
  let offset = 0;
  visit(document, {
    Node: (_, node) => {
      if (isAlias(node)) {
        if (!anchors.has(node.source)) {
          offset = node.range?.[0] ?? 0;
          return visit.BREAK;
        }
      } else if (node.anchor !== undefined) {
        anchors.add(node.anchor);
      }
      return undefined;
    },
  });
  return offset;
}

function toData(document: Document): { data: unknown } | { problem: ConfigProblem } {
  try {
    return { data: document.toJS({ maxAliasCount }) };
  } catch (error) {
    const { message } = error as Error;
    if (message.startsWith('Unresolved alias')) {
      return {
        problem: syntaxProblem(
          unresolvedAlias(document),
          'this alias has no anchor before it',
          'define `&name` before `*name`',
        ),
      };
    }
    return { problem: syntaxProblem(0, message, 'write the values out instead of repeating aliases') };
  }
}

function parse(
  text: string,
  lines: LineCounter,
): { config: Config } | { problems: readonly ConfigProblem[] } {
  let document: Document;
  try {
    document = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      logLevel: 'error',
      stringKeys: true,
    });
  } catch (error) {
    // The parser recurses: thousands of levels exhaust its stack.
    if (error instanceof RangeError) return { problems: [syntaxProblem(0, 'the nesting is too deep')] };
    throw error;
  }
  const tooDeep = document.errors.find(({ code }) => code === 'RESOURCE_EXHAUSTION');
  if (tooDeep !== undefined) return { problems: [understood(tooDeep)] };
  const problems = [...document.errors, ...document.warnings].map(understood);
  // The rest is only worth checking if the text was understood; a repeated key does not hinder that.
  if (document.errors.some(({ code }) => code !== 'DUPLICATE_KEY')) return { problems };

  const result = toData(document);
  if ('problem' in result) return { problems: [...problems, result.problem] };
  const checked = configSchema.safeParse(result.data);
  if (checked.success) return problems.length === 0 ? { config: checked.data } : { problems };
  return { problems: [...problems, ...problemsOf(checked.error.issues, document, result.data)] };
}

/** Reads and checks a gate.yml. Whatever is wrong with it is one Fault that names every problem. */
export function loadConfig(path: string): LoadedConfig {
  const absolute = resolve(path);
  const shown = shownPath(absolute);
  const text = read(absolute, shown);
  const lines = new LineCounter();
  const parsed = parse(text, lines);
  if ('config' in parsed) return { config: parsed.config, directory: dirname(absolute), text };

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
