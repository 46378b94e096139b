/** The program and its arguments, if the line is nothing that only a shell understands; PORT becomes the gate's. */
export function plainCommand(line: string): readonly string[] | undefined {
  const words = line
    .trim()
    .split(/\s+/)
    .map((word) => word.replaceAll(/\$PORT\b|\$\{PORT\}/g, '${PORT}'));
  const plain = /^[\w./:@%+=,-]+$/;
  return words.every((word) => plain.test(word.replaceAll('${PORT}', '')) || word === '${PORT}')
    ? words
    : undefined;
}

/** The line for a shell, which gives way to the program so that signals reach that. */
export function shellCommand(line: string): readonly string[] {
  // `${...}` is the gate's own; a shell takes the name without braces for the same.
  const text = line.trim().replaceAll(/\$\{([A-Za-z_]\w*)\}/g, '$$$1');
  return ['sh', '-c', /^[\w./-]+(\s|$)/.test(text) && !/[;&|]/.test(text) ? `exec ${text}` : text];
}
