/** What a stranger may call a branch, a scenario, an endpoint or a pull request, by what it is meant to do. */
export const hostileNames = {
  'a command of a shell': 'a"; echo pwn #',
  'a mention of a team': '@org/team',
  "the comment's marker": '<!-- perf-gate -->',
  'a command to the runner': '::error::x',
  'a cell of a table': 'a|b',
  '10,000 characters': 'x'.repeat(10_000),
  'marks that reverse the reading': '\u202etxt.exe\u2066',
} as const;
