import { describe, expect, it } from 'vitest';
import { inputsTable, outputsTable, permissionsTable, withParts } from './readme-tables.ts';

const action = `
inputs:
  config:
    description: The configuration.
    default: perf/gate.yml
  stack:
    description: "\`process\` | \`compose\`"
    default: ""
outputs:
  verdict:
    description: What it came to.
`;

/** Cells of each row but the line under the head, without the blanks that align them. */
function rowsOf(table: string): string[][] {
  return table
    .split('\n')
    .filter((_, index) => index !== 1)
    .map((line) =>
      line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim()),
    );
}

describe('tables of the README', () => {
  it('list inputs and outputs with what action.yml says of them', () => {
    expect(rowsOf(inputsTable(action))).toEqual([
      ['input', 'default', 'meaning'],
      ['`config`', '`perf/gate.yml`', 'The configuration.'],
      ['`stack`', '', '`process` \\| `compose`'],
    ]);
    expect(rowsOf(outputsTable(action))).toEqual([
      ['output', 'meaning'],
      ['`verdict`', 'What it came to.'],
    ]);
  });

  it('list each permission of each workflow with the reason beside it', () => {
    const workflow = `
permissions: {}
jobs:
  measure:
    permissions:
      contents: read # the checkout
      pull-requests: write # the comment
  done:
    permissions: {}
`;
    expect(rowsOf(permissionsTable(new Map([['a.yml', workflow]])))).toEqual([
      ['workflow', 'permission', 'what for'],
      ['`a.yml`', '`contents: read`', 'the checkout'],
      ['`a.yml`', '`pull-requests: write`', 'the comment'],
    ]);
  });

  it('take no permission without a reason', () => {
    const workflow = 'jobs:\n  measure:\n    permissions:\n      contents: read\n';
    expect(() => permissionsTable(new Map([['a.yml', workflow]]))).toThrow('a.yml: say beside contents');
  });
});

describe('parts of a text', () => {
  const text = 'before\n<!-- a:begin -->\nold\n<!-- a:end -->\nafter\n';

  it('are replaced between their marks, which stay', () => {
    const once = withParts(text, { a: 'new' });
    expect(once).toBe('before\n<!-- a:begin -->\n\nnew\n\n<!-- a:end -->\nafter\n');
    expect(withParts(once, { a: 'new' })).toBe(once);
  });

  it.each(['b', 'a:end --><!-- a'])('are not guessed where %s is not marked', (name) => {
    expect(() => withParts(text, { [name]: 'new' })).toThrow('there is no');
  });
});
