import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  type Node,
  parseDocument,
  stringify,
  type YAMLMap,
} from 'yaml';
import { Fault } from '../../model/fault.ts';
import { type Edit, lineAfter, rangeOf, withEdits } from './edits.ts';

export interface WrittenLoad {
  readonly vus: number;
  readonly objectives: { readonly meanMs: number; readonly tps: number };
}

/**
 * The text of a gate.yml in which that scenario has these loads. All other lines stay as they are. A load of another shape
 * is replaced only with `force`. The text must be a valid configuration; `shown` is how messages call it.
 */
export function withLoads(
  text: string,
  scenario: string,
  loads: Readonly<Record<string, WrittenLoad>>,
  { force, shown }: { readonly force: boolean; readonly shown: string },
): string {
  const document = parseDocument(text);
  const node = document.getIn(['scenarios', scenario, 'loads'], true);
  if (isAlias(node)) {
    throw new Fault({
      code: 'E_LOADS_SHARED',
      kind: 'usage',
      place: shown,
      cause: `the loads of ${scenario} are those of "&${node.source}", which other scenarios may use too`,
      nextStep: `write loads of its own for ${scenario}, or name the scenario that has "&${node.source}"`,
    });
  }
  if (!isMap(node)) {
    throw new Fault({
      code: 'E_SCENARIO_UNKNOWN',
      kind: 'usage',
      place: shown,
      cause: `it has no scenario "${scenario}"`,
      nextStep: 'name a scenario of the file with --write',
    });
  }
  const edits = Object.entries(loads).flatMap(([name, load]) =>
    editOf(text, document, node, { name, load, force, shown, scenario }),
  );
  return withEdits(text, edits);
}

interface Wanted {
  readonly scenario: string;
  readonly name: string;
  readonly load: WrittenLoad;
  readonly force: boolean;
  readonly shown: string;
}

function editOf(
  text: string,
  document: Document,
  loads: YAMLMap,
  { name, load, force, shown, scenario }: Wanted,
): readonly Edit[] {
  const { meanMs, tps } = load.objectives;
  const flow = `{ vus: ${load.vus}, objectives: { meanMs: ${meanMs}, tps: ${tps} } }`;
  const present = loads.items.find(({ key }) => isScalar(key) && key.value === name);
  if (present !== undefined) {
    const value = present.value as Node;
    const { vus, objectives } = value.toJS(document) as Partial<WrittenLoad>;
    if (vus === load.vus && objectives?.meanMs === meanMs && objectives.tps === tps) return [];
    if (!force) throw different(shown, `${scenario}@${name}`, value.toJS(document), flow);
    const [from, to] = rangeOf(value);
    // A block keeps the line break after it.
    const end = from + text.slice(from, to).trimEnd().length;
    return [{ from, to: end, text: flow }];
  }
  const last = loads.items.at(-1);
  if (loads.flow === true || last === undefined) {
    throw new Fault({
      code: 'E_LOADS_FLOW',
      kind: 'usage',
      place: shown,
      cause: `the loads of ${scenario} are empty or written within brackets, so nothing can be added line by line`,
      nextStep: 'write each load on a line of its own',
    });
  }
  return [lineAfter(text, last.key as Node, last.value as Node, `${name}: ${flow}`)];
}

function different(shown: string, cell: string, present: unknown, wanted: string): Fault {
  return new Fault({
    code: 'E_LOADS_DIFFER',
    kind: 'usage',
    place: shown,
    cause: `${cell} is ${stringify(present, { collectionStyle: 'flow' }).trim()}, not ${wanted}`,
    nextStep: 'add --force to replace it, or correct what you asked for',
  });
}
