import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** How a check of that checkout is started: by the launcher if it has one; else, with the gate on CI alone, by a push. */
export function checkCommand(root: string): string {
  return existsSync(join(root, 'gate')) ? './gate check' : 'git push';
}
