/** The program and its arguments; undefined if the line needs a shell. `$PORT` becomes the gate's `${PORT}`. */
export function plainCommand(line: string): readonly string[] | undefined {
  const words = line
    .trim()
    .split(/\s+/)
    .map((word) => word.replaceAll(/\$PORT\b|\$\{PORT\}/g, '${PORT}'));
  const plain = /^[\w./:@%+=,-]+$/;
  // Only a shell sets a variable in front of a program.
  if (/^[A-Za-z_]\w*=/.test(words[0] ?? '')) return undefined;
  return words.every((word) => plain.test(word.replaceAll('${PORT}', '')) || word === '${PORT}')
    ? words
    : undefined;
}

/** Runs the line in a shell. `exec` replaces the shell with a single program, so that signals reach it. */
export function shellCommand(line: string): readonly string[] {
  // The gate expands `${...}` itself. A shell reads the name without braces too.
  const text = line.trim().replaceAll(/\$\{([A-Za-z_]\w*)\}/g, '$$$1');
  return ['sh', '-c', /^[\w./-]+(\s|$)/.test(text) && !/[;&|]/.test(text) ? `exec ${text}` : text];
}
