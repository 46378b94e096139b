import { found } from '../finding.ts';
import { manifestText, type Repository, serviceFault } from '../repository.ts';
import type { StartingPoint } from './start.ts';

/** A Go service has one `package main`, at the top or in a folder of cmd/. */
export function goService(repository: Repository, requested: string | undefined): StartingPoint | undefined {
  if (manifestText(repository, 'go.mod') === undefined) return undefined;
  const hasMain = repository.paths.includes('main.go');
  const programs = repository.paths.flatMap((path) => {
    if (path === 'main.go' || (!hasMain && isProgram(repository, path)))
      return [{ name: repository.name, folder: '.' }];
    const name = /^cmd\/([\w.-]+)\/main\.go$/.exec(path)?.[1];
    return name === undefined ? [] : [{ name, folder: `./cmd/${name}` }];
  });
  const candidates = requested === undefined ? programs : programs.filter(({ name }) => name === requested);
  const [program, ...others] = candidates;
  if (program === undefined && programs.length === 0) return undefined;
  if (program === undefined || others.length > 0) {
    throw serviceFault(
      'go.mod',
      programs.map(({ name }) => name),
      requested,
    );
  }
  const binary = '.perf-gate/build/service';
  return {
    command: [binary],
    // Go detects changes, so the step names no inputs.
    build: [{ command: ['go', 'build', '-o', binary, program.folder], outputs: [binary] }],
    sources: ['.go'],
    defaultPort: { port: 8080, why: 'most Go services use it' },
    findings: [found(`go.mod, with package main in ${program.folder}`)],
  };
}

/** A file at the top may have any name. */
function isProgram({ text }: Repository, path: string): boolean {
  if (!/^[\w-]+(?<!_test)\.go$/.test(path)) return false;
  const source = text(path) ?? '';
  const isTool = /^\/\/(?:go:build| \+build) ignore\b/m.test(source);
  return !isTool && /^package main\b/m.test(source) && /^func main\(\)/m.test(source);
}

/** A Rust service is the binary of one package. */
export function rustService(repository: Repository): StartingPoint | undefined {
  const text = manifestText(repository, 'Cargo.toml');
  const name = /^\[package\][^[]{0,2000}?^name\s*=\s*"([\w-]{1,64})"/m.exec(text ?? '')?.[1];
  if (name === undefined || !repository.paths.includes('src/main.rs')) return undefined;
  const binary = `target/release/${name}`;
  return {
    command: [binary],
    // Cargo detects changes, so the step names no inputs.
    build: [{ command: ['cargo', 'build', '--release', '--bin', name], outputs: [binary] }],
    sources: ['.rs'],
    defaultPort: { port: 8080, why: 'most Rust services use it' },
    findings: [found(`Cargo.toml, with the package ${name}`)],
  };
}
