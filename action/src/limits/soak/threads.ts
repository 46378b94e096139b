import type { GrownThreads } from '../../model/soak.ts';

const mostListed = 10;

/** How many threads have each name, numbers left out. Rows of a dump begin as `"http-nio-8080-exec-3" #42 ...`. */
function threadsByName(dump: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [, name = ''] of dump.matchAll(/^"(.*)" #\d+/gm)) {
    const group = name.replaceAll(/\d+/g, '#');
    counts.set(group, (counts.get(group) ?? 0) + 1);
  }
  return counts;
}

/** Which threads became more since the first dump. */
export function grownThreads([first, ...later]: readonly string[]): readonly GrownThreads[] {
  const former = threadsByName(first ?? '');
  return [...threadsByName(later.at(-1) ?? '')]
    .map(([name, count]) => ({ name, more: count - (former.get(name) ?? 0) }))
    .filter(({ more }) => more > 0)
    .toSorted((a, b) => b.more - a.more)
    .slice(0, mostListed);
}
