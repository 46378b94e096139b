import type { Nodes, Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

/** The Markdown as a parser of GitHub's dialect reads it. */
export function markdownTree(text: string): Root {
  return fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
}

/** The node and all its descendants. */
export function nodesOf(node: Nodes): Nodes[] {
  return [node, ...('children' in node ? node.children.flatMap(nodesOf) : [])];
}

/** The text that a reader sees. */
export function shownText(node: Nodes): string {
  return nodesOf(node)
    .map((part) => (part.type === 'text' || part.type === 'inlineCode' ? part.value : ''))
    .join('');
}
