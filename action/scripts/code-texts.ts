import { dirname } from 'node:path';
import ts from 'typescript';

/** One place in the source that raises a code, with what it says. */
export interface CodeSite {
  /** Such as `E_CONFIG_KEY`. */
  readonly code: string;
  /** Folder below src. */
  readonly folder: string;
  /** What the site says, as alternatives; `…` stands for what only a run knows. */
  readonly texts: Readonly<Record<'kind' | 'cause' | 'nextStep', readonly string[]>>;
}

type Named = ts.FunctionDeclaration;
/** Arguments that stand for parameters on the way from a call to the object that it makes. */
type Bound = ReadonlyMap<ts.ParameterDeclaration, ts.Expression>;

const codePattern = /^E_[A-Z0-9_]+$/;
const unknownText = '…';
/** A sentence with more alternatives is shown by its first ones. */
const mostAlternatives = 4;
/** Deeper chains of functions are not followed. */
const deepest = 6;

function descendants(node: ts.Node): ts.Node[] {
  const found: ts.Node[] = [];
  const visit = (one: ts.Node) => {
    found.push(one);
    ts.forEachChild(one, visit);
  };
  visit(node);
  return found;
}

function propertyOf(object: ts.ObjectLiteralExpression, name: string): ts.Expression | undefined {
  for (const property of object.properties) {
    if (property.name?.getText() !== name) continue;
    if (ts.isPropertyAssignment(property)) return property.initializer;
    if (ts.isShorthandPropertyAssignment(property)) return property.name;
  }
  return undefined;
}

function enclosingFunction(node: ts.Node): Named | undefined {
  for (let at: ts.Node | undefined = node.parent; at !== undefined; at = at.parent) {
    if (ts.isFunctionDeclaration(at)) return at;
  }
  return undefined;
}

/** Reads the texts of errors from the source, without running it. */
class Source {
  readonly #nodes: readonly ts.Node[];
  readonly #functions: ReadonlyMap<string, readonly Named[]>;
  readonly #constants: ReadonlyMap<string, readonly ts.VariableDeclaration[]>;
  readonly #calls: ReadonlyMap<string, readonly ts.CallExpression[]>;

  constructor(files: ReadonlyMap<string, string>) {
    this.#nodes = [...files].flatMap(([path, text]) =>
      descendants(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)),
    );
    const nodes = this.#nodes;
    this.#functions = Map.groupBy(nodes.filter(ts.isFunctionDeclaration), ({ name }) => name?.text ?? '');
    this.#constants = Map.groupBy(nodes.filter(ts.isVariableDeclaration), ({ name }) => name.getText());
    this.#calls = Map.groupBy(nodes.filter(ts.isCallExpression), ({ expression }) => expression.getText());
  }

  sites(): CodeSite[] {
    const all = this.#nodes.flatMap((node) =>
      ts.isObjectLiteralExpression(node) ? this.#sitesOf(node) : [],
    );
    // A folder that finds problems first and raises them later names the kind only where it raises them.
    const raisedLater = Map.groupBy(
      all.filter(({ code, texts }) => code === unknownText && texts.kind.length > 0),
      ({ folder }) => folder,
    );
    return all
      .filter(({ code }) => codePattern.test(code))
      .map((site) =>
        site.texts.kind.length > 0
          ? site
          : {
              ...site,
              texts: {
                ...site.texts,
                kind: raisedLater.get(site.folder)?.flatMap(({ texts }) => texts.kind) ?? [],
              },
            },
      );
  }

  /** An object with a code: one site, or one for each call of the function that receives the code. */
  #sitesOf(object: ts.ObjectLiteralExpression): CodeSite[] {
    const code = propertyOf(object, 'code');
    if (code === undefined) return [];
    const folder = dirname(object.getSourceFile().fileName);
    const holder = enclosingFunction(object);
    const rest = holder === undefined ? undefined : this.#spreadOf(holder);
    const contexts: { readonly folder: string; readonly bound: Bound }[] =
      holder !== undefined && this.#parameter(code) !== undefined
        ? this.#callsOf(holder).map((call) => ({
            folder: dirname(call.getSourceFile().fileName),
            bound: bind(holder, call),
          }))
        : [{ folder, bound: new Map() }];
    return contexts.flatMap((context) => {
      const text = (name: string) => {
        const value =
          this.#property(object, name) ?? (rest === undefined ? undefined : propertyOf(rest, name));
        return value === undefined ? [] : this.#evaluate(value, context.bound, 0);
      };
      const texts = { kind: text('kind'), cause: text('cause'), nextStep: text('nextStep') };
      return this.#evaluate(code, context.bound, 0).map((one) => ({
        code: one,
        folder: context.folder,
        texts,
      }));
    });
  }

  /** The object that takes over what the function returns: `{ ...explain(error), kind: 'usage' }`. */
  #spreadOf(holder: Named): ts.ObjectLiteralExpression | undefined {
    const spread = this.#callsOf(holder).find((call) => ts.isSpreadAssignment(call.parent));
    return spread === undefined ? undefined : (spread.parent.parent as ts.ObjectLiteralExpression);
  }

  /** A property of the object itself, or of a constant that is spread into it. */
  #property(object: ts.ObjectLiteralExpression, name: string): ts.Expression | undefined {
    const own = propertyOf(object, name);
    if (own !== undefined) return own;
    for (const property of object.properties) {
      if (!ts.isSpreadAssignment(property) || !ts.isIdentifier(property.expression)) continue;
      const value = this.#constant(property.expression)?.initializer;
      if (value === undefined) continue;
      const spread = descendants(value).find((node) => ts.isObjectLiteralExpression(node));
      const found = spread === undefined ? undefined : propertyOf(spread, name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The constant of that name in the same file that the name can mean. */
  #constant(name: ts.Identifier): ts.VariableDeclaration | undefined {
    const inScope = [undefined, enclosingFunction(name)];
    return this.#constants
      .get(name.text)
      ?.find(
        (one) => one.getSourceFile() === name.getSourceFile() && inScope.includes(enclosingFunction(one)),
      );
  }

  #callsOf(called: Named): ts.CallExpression[] {
    const calls = this.#calls.get(called.name?.text ?? '') ?? [];
    return calls.filter((call) => this.#functionOf(call) === called);
  }

  #functionOf(call: ts.CallExpression): Named | undefined {
    if (!ts.isIdentifier(call.expression)) return undefined;
    const file = call.getSourceFile();
    const known = this.#functions.get(call.expression.text) ?? [];
    return (
      known.find((one) => one.getSourceFile() === file) ??
      known.find((one) => one.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword))
    );
  }

  #parameter(expression: ts.Expression): ts.ParameterDeclaration | undefined {
    if (!ts.isIdentifier(expression)) return undefined;
    return enclosingFunction(expression)?.parameters.find(({ name }) => name.getText() === expression.text);
  }

  #evaluate(expression: ts.Expression, bound: Bound, depth: number): string[] {
    if (depth > deepest) return [unknownText];
    const next = (one: ts.Expression) => this.#evaluate(one, bound, depth + 1);
    if (ts.isStringLiteralLike(expression)) return [expression.text];
    if (ts.isParenthesizedExpression(expression) || ts.isAsExpression(expression)) {
      return next(expression.expression);
    }
    if (ts.isConditionalExpression(expression)) {
      return alternatives([...next(expression.whenTrue), ...next(expression.whenFalse)]);
    }
    if (ts.isBinaryExpression(expression)) {
      if (expression.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken) {
        return alternatives([...next(expression.left), ...next(expression.right)]);
      }
      if (expression.operatorToken.kind === ts.SyntaxKind.PlusToken) {
        return joined([next(expression.left), next(expression.right)]);
      }
    }
    if (ts.isTemplateExpression(expression)) {
      return joined([
        [expression.head.text],
        ...expression.templateSpans.flatMap(({ expression: part, literal }) => [
          ts.isCallExpression(part) ? [unknownText] : next(part),
          [literal.text],
        ]),
      ]);
    }
    if (ts.isIdentifier(expression)) return this.#evaluateName(expression, bound, depth);
    if (ts.isCallExpression(expression)) return this.#evaluateCall(expression, bound, depth);
    return [unknownText];
  }

  #evaluateName(name: ts.Identifier, bound: Bound, depth: number): string[] {
    const parameter = this.#parameter(name);
    if (parameter !== undefined) {
      const argument = bound.get(parameter);
      if (argument !== undefined) return this.#evaluate(argument, bound, depth + 1);
      const holder = enclosingFunction(name);
      const calls = holder === undefined ? [] : this.#callsOf(holder);
      const texts = calls.flatMap((call) => {
        const given = holder === undefined ? undefined : bind(holder, call).get(parameter);
        return given === undefined ? [] : this.#evaluate(given, new Map(), depth + 1);
      });
      return texts.length === 0 ? [unknownText] : alternatives(texts);
    }
    const constant = this.#constant(name);
    return constant?.initializer === undefined
      ? [unknownText]
      : this.#evaluate(constant.initializer, bound, depth + 1);
  }

  #evaluateCall(call: ts.CallExpression, bound: Bound, depth: number): string[] {
    const called = this.#functionOf(call);
    if (called?.body === undefined) return [unknownText];
    const inside = new Map([...bound, ...bind(called, call)]);
    const returned = descendants(called.body).flatMap((node) =>
      ts.isReturnStatement(node) && node.expression !== undefined ? [node.expression] : [],
    );
    return alternatives(returned.flatMap((one) => this.#evaluate(one, inside, depth + 1)));
  }
}

function bind(called: Named, call: ts.CallExpression): Map<ts.ParameterDeclaration, ts.Expression> {
  const pairs = called.parameters.flatMap((parameter, index) => {
    const argument = call.arguments[index];
    return argument === undefined ? [] : [[parameter, argument] as const];
  });
  return new Map(pairs);
}

/** Distinct texts; an empty one, or one that only a run knows, counts only if no other is known. */
function alternatives(texts: readonly string[]): string[] {
  const distinct = [...new Set(texts)];
  const telling = distinct.filter((text) => text !== '' && text !== unknownText);
  if (telling.length > 0) return telling.slice(0, mostAlternatives);
  return distinct.includes(unknownText) ? [unknownText] : distinct;
}

/** Every combination of the parts' alternatives. */
function joined(parts: readonly (readonly string[])[]): string[] {
  const texts = parts.reduce<readonly string[]>(
    (starts, ends) =>
      starts.flatMap((start) => ends.map((end) => `${start}${end}`)).slice(0, mostAlternatives),
    [''],
  );
  return [...new Set(texts)];
}

/** The places in these files (path below src, text) that raise a code. */
export function codeSites(files: ReadonlyMap<string, string>): CodeSite[] {
  return new Source(files).sites();
}
