import { type DefaultTreeAdapterTypes, parse } from 'parse5';

type Node = DefaultTreeAdapterTypes.Node;
export type Element = DefaultTreeAdapterTypes.Element;

function childrenOf(node: Node): readonly Node[] {
  return 'childNodes' in node ? node.childNodes : [];
}

function descendants(node: Node): Node[] {
  return childrenOf(node).flatMap((child) => [child, ...descendants(child)]);
}

/** A page as a standard HTML parser reads it. */
export class HtmlTree {
  readonly nodes: readonly Node[];
  /** Errors that the parser corrected. */
  readonly errors: string[] = [];

  constructor(page: string) {
    const document = parse(page, {
      sourceCodeLocationInfo: true,
      onParseError: ({ code, startLine }) => this.errors.push(`${code} in line ${startLine}`),
    });
    this.nodes = descendants(document);
  }

  get elements(): readonly Element[] {
    return this.nodes.filter((node): node is Element => 'tagName' in node);
  }

  named(...names: readonly string[]): readonly Element[] {
    return this.elements.filter(({ tagName }) => names.includes(tagName));
  }

  /** Element names with their attribute names, in document order, such as `td[class]`. */
  get shape(): readonly string[] {
    return this.elements.map(
      ({ tagName, attrs }) => `${tagName}[${attrs.map(({ name }) => name).join(' ')}]`,
    );
  }
}

export function attribute({ attrs }: Element, name: string): string | undefined {
  return attrs.find((one) => one.name === name)?.value;
}

/** All descendants with one of these names. */
export function below(element: Element, ...names: readonly string[]): readonly Element[] {
  return descendants(element).filter(
    (node): node is Element => 'tagName' in node && names.includes(node.tagName),
  );
}

/** The text that a reader sees. */
export function textOf(element: Element): string {
  return descendants(element)
    .map((node) => ('value' in node ? node.value : ''))
    .join('');
}
