import type { BuildOptions } from 'esbuild';

/** What makes one program of the source and its packages, the same wherever and whenever it is made. */
export function bundleOptions(root: string) {
  return {
    absWorkingDir: root,
    bundle: true,
    // The names of the chunks depend on the paths of their sources, so a linked node_modules would give others.
    preserveSymlinks: true,
    // What the cache and its storage client need is read only where a cache is asked for.
    splitting: true,
    chunkNames: 'chunk-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node24',
    minify: true,
    legalComments: 'eof',
    logLevel: 'warning',
    // For the packages among them that are no modules.
    banner: {
      js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
    },
  } as const satisfies BuildOptions;
}
