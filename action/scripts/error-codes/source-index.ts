import ts from 'typescript';

export type Callable = ts.FunctionDeclaration | ts.MethodDeclaration | ts.ArrowFunction;

export function descendants(node: ts.Node): ts.Node[] {
  const found: ts.Node[] = [];
  const visit = (one: ts.Node) => {
    found.push(one);
    ts.forEachChild(one, visit);
  };
  visit(node);
  return found;
}

/** The value of a property that the object itself has. */
export function propertyOf(object: ts.ObjectLiteralExpression, name: string): ts.Expression | undefined {
  for (const property of object.properties) {
    if (property.name?.getText() !== name) continue;
    if (ts.isPropertyAssignment(property)) return property.initializer;
    if (ts.isShorthandPropertyAssignment(property)) return property.name;
  }
  return undefined;
}

function isCallable(node: ts.Node): node is Callable {
  return ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isArrowFunction(node);
}

/** The functions around a node, the innermost first. */
export function enclosing(node: ts.Node): Callable[] {
  const found: Callable[] = [];
  for (let at: ts.Node | undefined = node.parent; at !== undefined; at = at.parent) {
    if (isCallable(at)) found.push(at);
  }
  return found;
}

/** An arrow function has the name of the constant or property that holds it. */
function nameOf(called: Callable): string {
  const { name, parent } = called;
  if (name !== undefined) return name.getText();
  return ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) ? parent.name.getText() : '';
}

/** `fault` of `fault(...)`, `this.fault(...)` and `faults.fault(...)`. */
function calledName({ expression }: ts.CallExpression): string {
  return ts.isPropertyAccessExpression(expression) ? expression.name.getText() : expression.getText();
}

/** The arguments of a call by the parameters that receive them. */
export function bind(called: Callable, call: ts.CallExpression): Map<ts.ParameterDeclaration, ts.Expression> {
  const pairs = called.parameters.flatMap((parameter, index) => {
    const argument = call.arguments[index];
    return argument === undefined ? [] : [[parameter, argument] as const];
  });
  return new Map(pairs);
}

/** What the names in some source files mean. It reads names only, not types. */
export class SourceIndex {
  readonly nodes: readonly ts.Node[];
  readonly #functions: ReadonlyMap<string, readonly Callable[]>;
  readonly #constants: ReadonlyMap<string, readonly ts.VariableDeclaration[]>;
  readonly #calls: ReadonlyMap<string, readonly ts.CallExpression[]>;

  constructor(files: ReadonlyMap<string, string>) {
    const nodes = [...files].flatMap(([path, text]) =>
      descendants(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)),
    );
    this.nodes = nodes;
    this.#functions = Map.groupBy(nodes.filter(isCallable), nameOf);
    this.#constants = Map.groupBy(nodes.filter(ts.isVariableDeclaration), ({ name }) => name.getText());
    this.#calls = Map.groupBy(nodes.filter(ts.isCallExpression), calledName);
  }

  /** The constant that the name means: of the same file, at its top or in a function around the name. */
  constant(name: ts.Identifier): ts.VariableDeclaration | undefined {
    const around = new Set(enclosing(name));
    return this.#constants.get(name.text)?.find((one) => {
      const holder = enclosing(one)[0];
      return one.getSourceFile() === name.getSourceFile() && (holder === undefined || around.has(holder));
    });
  }

  callsOf(called: Callable): ts.CallExpression[] {
    const calls = this.#calls.get(nameOf(called)) ?? [];
    return calls.filter((call) => this.functionOf(call) === called);
  }

  /** The function that a call means: of the same file, else one that another file exports. */
  functionOf(call: ts.CallExpression): Callable | undefined {
    const known = this.#functions.get(calledName(call)) ?? [];
    return (
      known.find((one) => one.getSourceFile() === call.getSourceFile()) ??
      known.find(
        (one) =>
          ts.isFunctionDeclaration(one) &&
          one.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword),
      )
    );
  }

  parameter(expression: ts.Expression): ts.ParameterDeclaration | undefined {
    if (!ts.isIdentifier(expression)) return undefined;
    return enclosing(expression)
      .flatMap(({ parameters }) => [...parameters])
      .find(({ name }) => name.getText() === expression.text);
  }

  /**
   * Objects that may hold a property which this one lacks. They are the constants that it spreads, the object that
   * spreads its function's result (`{ ...explain(error), kind }`), and the one that a called function builds from it
   * (`fault({ code })`).
   */
  relatives(object: ts.ObjectLiteralExpression): ts.ObjectLiteralExpression[] {
    const [holder] = enclosing(object);
    const takers = holder === undefined ? [] : this.callsOf(holder).map(({ parent }) => parent);
    return [
      ...spreadNames(object).flatMap((name) => objectsIn(this.constant(name)?.initializer).slice(0, 1)),
      ...takers.flatMap((taker) => (ts.isSpreadAssignment(taker) ? [taker.parent] : [])),
      ...this.#receivers(object),
    ];
  }

  #receivers(object: ts.ObjectLiteralExpression): ts.ObjectLiteralExpression[] {
    const call = object.parent;
    if (!ts.isCallExpression(call)) return [];
    const called = this.functionOf(call);
    const parameter = called?.parameters[call.arguments.indexOf(object)]?.name.getText();
    return objectsIn(called?.body).filter((one) =>
      spreadNames(one).some((name) => name.getText() === parameter),
    );
  }
}

function objectsIn(node: ts.Node | undefined): ts.ObjectLiteralExpression[] {
  return node === undefined ? [] : descendants(node).filter(ts.isObjectLiteralExpression);
}

function spreadNames({ properties }: ts.ObjectLiteralExpression): ts.Identifier[] {
  return properties.flatMap((property) =>
    ts.isSpreadAssignment(property) && ts.isIdentifier(property.expression) ? [property.expression] : [],
  );
}
