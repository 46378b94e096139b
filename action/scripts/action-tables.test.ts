import { describe, expect, it } from 'vitest';
import { inputsTable, outputsTable, permissionsTable } from './action-tables.ts';

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
    description: The outcome.
`;

/** Trimmed cells of each row, without the line under the header. */
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

describe('tables of actions and workflows', () => {
  it('list inputs and outputs with their descriptions', () => {
    expect(rowsOf(inputsTable(action))).toEqual([
      ['input', 'default', 'meaning'],
      ['`config`', '`perf/gate.yml`', 'The configuration.'],
      ['`stack`', '', '`process` \\| `compose`'],
    ]);
    expect(rowsOf(outputsTable(action))).toEqual([
      ['output', 'meaning'],
      ['`verdict`', 'The outcome.'],
    ]);
  });

  it('list only the inputs that are named, and refuse a name that is not an input', () => {
    expect(rowsOf(inputsTable(action, ['stack'])).slice(1)).toEqual([
      ['`stack`', '', '`process` \\| `compose`'],
    ]);
    expect(() => inputsTable(action, ['stak'])).toThrow('no input stak');
  });

  it('list each permission of each workflow with its reason', () => {
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
      ['workflow', 'permission', 'why'],
      ['`a.yml`', '`contents: read`', 'the checkout'],
      ['`a.yml`', '`pull-requests: write`', 'the comment'],
    ]);
  });

  it('refuse a permission without a reason', () => {
    const workflow = 'jobs:\n  measure:\n    permissions:\n      contents: read\n';
    expect(() => permissionsTable(new Map([['a.yml', workflow]]))).toThrow(
      'a.yml: add a comment after contents',
    );
  });
});
