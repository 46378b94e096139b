import { found } from '../finding.ts';
import { manifestText, type Repository } from '../repository.ts';
import { serviceFault } from './service-fault.ts';
import type { StartingPoint } from './start.ts';

/** A Go service: one `package main`, at the top or below cmd/. */
export function goService(repository: Repository, asked: string | undefined): StartingPoint | undefined {
  if (manifestText(repository, 'go.mod') === undefined) return undefined;
  const programs = repository.paths.flatMap((path) => {
    if (path === 'main.go') return [{ name: repository.name, folder: '.' }];
    const name = /^cmd\/([\w.-]+)\/main\.go$/.exec(path)?.[1];
    return name === undefined ? [] : [{ name, folder: `./cmd/${name}` }];
  });
  const candidates = asked === undefined ? programs : programs.filter(({ name }) => name === asked);
  const [program, ...others] = candidates;
  if (program === undefined && programs.length === 0) return undefined;
  if (program === undefined || others.length > 0) {
    throw serviceFault(
      'go.mod',
      programs.map(({ name }) => name),
      asked,
    );
  }
  const binary = '.perf-gate/build/service';
  return {
    command: [binary],
    // Go knows what has changed.
    build: [{ command: ['go', 'build', '-o', binary, program.folder], outputs: [binary] }],
    sources: ['.go'],
    habit: { port: 8080, why: 'what most Go services take' },
    findings: [found(`go.mod, and package main in ${program.folder}`)],
  };
}

/** A Rust service: the binary of one package. */
export function rustService(repository: Repository): StartingPoint | undefined {
  const text = manifestText(repository, 'Cargo.toml');
  const name = /^\[package\][^[]{0,2000}?^name\s*=\s*"([\w-]{1,64})"/m.exec(text ?? '')?.[1];
  if (name === undefined || !repository.paths.includes('src/main.rs')) return undefined;
  const binary = `target/release/${name}`;
  return {
    command: [binary],
    // Cargo knows what has changed.
    build: [{ command: ['cargo', 'build', '--release', '--bin', name], outputs: [binary] }],
    sources: ['.rs'],
    habit: { port: 8080, why: 'what most Rust services take' },
    findings: [found(`the package ${name} of Cargo.toml`)],
  };
}
