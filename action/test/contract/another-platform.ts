import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** Loaded before a program: it then runs as on a Mac, whose kernel shows nothing under /proc. */
Object.defineProperty(process, 'platform', { value: 'darwin' });
Object.defineProperty(process, 'arch', { value: 'arm64' });

type Reader = (path: unknown, ...rest: unknown[]) => unknown;

function hideProc(module: object, names: readonly string[]): void {
  const readers = module as Record<string, Reader>;
  for (const name of names) {
    const read = readers[name];
    readers[name] = (path, ...rest) => {
      if (!String(path).startsWith('/proc')) return read?.(path, ...rest);
      throw Object.assign(new Error(`ENOENT: no such file or directory, ${name} '${path}'`), {
        code: 'ENOENT',
      });
    };
  }
}

hideProc(fs, ['openSync', 'readFileSync', 'readdirSync', 'readlinkSync', 'statSync']);
hideProc(fs.promises, ['open', 'readFile', 'readdir', 'readlink', 'stat']);
syncBuiltinESMExports();
