import { Fault } from '../../model/fault.ts';

/** Replaces `${NAME}`. Refuses an unknown name, because an empty address or path would fail later and less clearly. */
export function expandText(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
    const value = variables[name];
    if (value !== undefined) return value;
    throw new Fault({
      code: 'E_CONFIG_VARIABLE',
      kind: 'usage',
      place: text,
      cause: `the variable ${name} does not exist`,
      nextStep: `use one of: ${Object.keys(variables).join(', ')}`,
    });
  });
}

export function expandEnv(
  env: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(Object.entries(env).map(([key, text]) => [key, expandText(text, variables)]));
}
