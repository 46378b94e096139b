import { dirname } from 'node:path';
import ts from 'typescript';
import { bind, type Callable, descendants, propertyOf, SourceIndex } from './source-index.ts';

/** One place in the source that raises a code, with what it says. */
export interface CodeSite {
  /** Such as `E_CONFIG_KEY`. */
  readonly code: string;
  /** Folder below src. */
  readonly folder: string;
  /** What the site says, as alternatives; `…` stands for what only a run knows. */
  readonly texts: Readonly<Record<'kind' | 'cause' | 'nextStep', readonly string[]>>;
}

/** Arguments that stand for parameters on the way from a call to the object that it makes. */
type Bound = ReadonlyMap<ts.ParameterDeclaration, ts.Expression>;

interface Context {
  readonly folder: string;
  readonly bound: Bound;
}

const codePattern = /^E_[A-Z0-9_]+$/;
const unknownText = '…';
/** A sentence with more alternatives is shown by its first ones. */
const mostAlternatives = 4;
/** Deeper chains of functions are not followed. */
const deepest = 6;

/** Reads the texts of errors from the source, without running it. */
class CodeReader {
  readonly #index: SourceIndex;

  constructor(index: SourceIndex) {
    this.#index = index;
  }

  sites(): CodeSite[] {
    const all = this.#index.nodes.flatMap((node) =>
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
    const contexts = this.#contextsOf(code, folder, new Map());
    return contexts.flatMap((context) => {
      const text = (name: string) => {
        const value = this.#property(object, name);
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

  /** The calls that a code comes from: one context for each, with what the call passes next to the code. */
  #contextsOf(code: ts.Expression, folder: string, bound: Bound): Context[] {
    const parameter = this.#index.parameter(code);
    if (parameter === undefined) return [{ folder, bound }];
    const holder = parameter.parent as Callable;
    return this.#index.callsOf(holder).flatMap((call) => {
      const passed = bind(holder, call);
      const argument = passed.get(parameter);
      if (argument === undefined) return [];
      return this.#contextsOf(
        argument,
        dirname(call.getSourceFile().fileName),
        new Map([...bound, ...passed]),
      );
    });
  }

  #property(object: ts.ObjectLiteralExpression, name: string): ts.Expression | undefined {
    return [object, ...this.#index.relatives(object)]
      .map((one) => propertyOf(one, name))
      .find((value) => value !== undefined);
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
    const parameter = this.#index.parameter(name);
    if (parameter !== undefined) {
      const argument = bound.get(parameter);
      if (argument !== undefined) return this.#evaluate(argument, bound, depth + 1);
      const holder = parameter.parent as Callable;
      const texts = this.#index.callsOf(holder).flatMap((call) => {
        const given = bind(holder, call).get(parameter);
        return given === undefined ? [] : this.#evaluate(given, new Map(), depth + 1);
      });
      return texts.length === 0 ? [unknownText] : alternatives(texts);
    }
    const constant = this.#index.constant(name);
    return constant?.initializer === undefined
      ? [unknownText]
      : this.#evaluate(constant.initializer, bound, depth + 1);
  }

  #evaluateCall(call: ts.CallExpression, bound: Bound, depth: number): string[] {
    const called = this.#index.functionOf(call);
    if (called?.body === undefined) return [unknownText];
    const inside = new Map([...bound, ...bind(called, call)]);
    const returned = ts.isBlock(called.body)
      ? descendants(called.body).flatMap((node) =>
          ts.isReturnStatement(node) && node.expression !== undefined ? [node.expression] : [],
        )
      : [called.body];
    return alternatives(returned.flatMap((one) => this.#evaluate(one, inside, depth + 1)));
  }
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
  return new CodeReader(new SourceIndex(files)).sites();
}
