/** Names that a stranger may give a branch, a scenario, an endpoint or a pull request, by the attack they attempt. */
export const hostileNames = {
  'a shell command': 'a"; echo pwn #',
  'a team mention': '@org/team',
  "the comment's marker": '<!-- perf-gate -->',
  'a workflow command': '::error::x',
  'a table cell': 'a|b',
  '10,000 characters': 'x'.repeat(10_000),
  'marks that reverse the reading direction': '\u202etxt.exe\u2066',
} as const;
