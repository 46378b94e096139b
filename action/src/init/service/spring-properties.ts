import { type Document, isMap, isScalar, parseAllDocuments } from 'yaml';
import type { Repository } from '../repository.ts';

/** Spring Boot's configuration of the module in that folder, by dotted keys, without profiles. */
export function springProperties(repository: Repository, folder: string): ReadonlyMap<string, string> {
  const base = `${folder === '' ? '' : `${folder}/`}src/main/resources/application`;
  const values = new Map<string, string>();
  for (const ending of ['.yaml', '.yml']) readYaml(repository.text(`${base}${ending}`) ?? '', values);
  readProperties(repository.text(`${base}.properties`) ?? '', values);
  return values;
}

function readProperties(text: string, values: Map<string, string>): void {
  for (const line of text.split(/\r?\n/)) {
    const match = /^\s*([\w.-]{1,120})\s*[=:]\s*(\S.*)$/.exec(line);
    if (match !== null) values.set(match[1] ?? '', (match[2] ?? '').trim());
  }
}

/** Invalid YAML sets nothing here, because Spring itself reports it. */
function readYaml(text: string, values: Map<string, string>): void {
  const first = firstDocument(text);
  if (first !== undefined && first.errors.length === 0) flatten(first.contents, '', values, 0);
}

function firstDocument(text: string): Document | undefined {
  try {
    const documents = parseAllDocuments(text, { logLevel: 'silent', prettyErrors: false });
    return Array.isArray(documents) ? documents[0] : undefined;
  } catch (error) {
    // The parser recurses, so thousands of levels exhaust its stack.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const maxDepth = 20;

function flatten(node: unknown, path: string, values: Map<string, string>, depth: number): void {
  if (isScalar(node)) values.set(path, String(node.value));
  if (!isMap(node) || depth > maxDepth) return;
  for (const { key, value } of node.items) {
    if (isScalar(key))
      flatten(value, path === '' ? String(key.value) : `${path}.${key.value}`, values, depth + 1);
  }
}
