import { execFileSync, spawn } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createFixture, type FsFixture } from 'fs-fixture';
import type { RunnerEvent } from './runner.ts';
import { lackOfTool } from './tool.ts';

const root = resolve(import.meta.dirname, '../../..');

/** Why workflows cannot be run here; undefined if they can. */
export function lackOfAct(): string | undefined {
  return lackOfTool('act', 'tests of the workflows');
}

export interface WorkflowResult {
  readonly code: number | null;
  readonly log: string;
}

/** What replaces the actions of others, which download or call services that only GitHub has. */
const replacedActions: Readonly<Record<string, string>> = {
  // act itself checks out what set the workflow going, and leaves another ref to the action.
  'actions/checkout': `
    const { execFileSync } = require('node:child_process');
    const { GITHUB_WORKSPACE, INPUT_REF, INPUT_PATH, REMOTE } = process.env;
    const folder = require('node:path').resolve(GITHUB_WORKSPACE, INPUT_PATH ?? '');
    execFileSync('git', ['clone', '-q', '--branch', INPUT_REF, REMOTE, folder]);`,
  'actions/setup-java': 'process.exitCode = 0;',
  'actions/setup-node': 'process.exitCode = 0;',
  'actions/upload-artifact': `
    if (process.env.ARTIFACTS_DOWN) {
      console.log('::error::Failed to CreateArtifact: Unable to make request: ECONNREFUSED');
      process.exit(1);
    }
    const { copyFileSync, mkdirSync } = require('node:fs');
    const { join, basename, resolve } = require('node:path');
    // A file that is not packed is an artifact of its own name.
    const { INPUT_ARCHIVE, INPUT_NAME, INPUT_PATH } = process.env;
    const folder = join(process.env.UPLOADS, INPUT_ARCHIVE === 'false' ? basename(INPUT_PATH) : INPUT_NAME);
    mkdirSync(folder, { recursive: true });
    for (const path of INPUT_PATH.split('\\n').filter((line) => line !== '')) {
      copyFileSync(resolve(process.env.GITHUB_WORKSPACE, path), join(folder, basename(path)));
    }`,
};

type Service = 'tiny' | 'tiny-compose';

/** The edit that makes a service slower, by more than any disturbance of the host. */
const slower: Readonly<Record<Service, readonly [file: string, text: string, slow: string]>> = {
  tiny: ['perf/server.mjs', 'TINY_DELAY_MS ?? 0', 'TINY_DELAY_MS ?? 400'],
  'tiny-compose': ['perf/tiny.mjs', 'response.end(path), 20)', 'response.end(path), 220)'],
};

/** A repository with this project's own workflows and Action, and the tiny service instead of the reference one. */
export class ActRepository {
  readonly #home: FsFixture;
  readonly #service: Service;

  private constructor(home: FsFixture, service: Service) {
    this.#home = home;
    this.#service = service;
  }

  /** @param service what replaces the reference service: a process, or containers */
  static async create(service: Service): Promise<ActRepository> {
    const repository = new ActRepository(await createFixture(), service);
    await repository.#fill();
    return repository;
  }

  /** Everything lies below it. */
  get path(): string {
    return this.#home.path;
  }

  get checkout(): string {
    return join(this.#home.path, 'checkout');
  }

  get remote(): string {
    return join(this.#home.path, 'remote.git');
  }

  get #uploads(): string {
    return join(this.#home.path, 'uploads');
  }

  async #fill(): Promise<void> {
    const checkout = this.checkout;
    await mkdir(join(checkout, 'action'), { recursive: true });
    await cp(join(root, '.github/workflows'), join(checkout, '.github/workflows'), { recursive: true });
    for (const part of ['action.yml', 'publish', 'record', 'dist', 'package.json']) {
      await cp(join(root, 'action', part), join(checkout, 'action', part), { recursive: true });
    }
    await cp(join(import.meta.dirname, this.#service), join(checkout, 'perf'), { recursive: true });
    const config = join(checkout, 'perf/gate.yml');
    // Three blocks of two seconds cannot detect a change at the default limits, and these tests are about something else.
    const text = (await readFile(config, 'utf8'))
      .replace('rounds: 2', 'rounds: 3')
      .replace('cells: [browse@few, browse@more]', 'cells: [browse@few]')
      .replace(
        'warmUp:',
        '  peak: { cells: [browse@more], rounds: 2 }\ntolerances: { p95: 900%, tps: 50%, serviceCpu: 525%, errorRate: 50% }\nwarmUp:',
      );
    await writeFile(config, text);
    for (const [name, script] of Object.entries(replacedActions)) {
      const folder = join(this.#home.path, 'stand-ins', name);
      await mkdir(folder, { recursive: true });
      await writeFile(
        join(folder, 'action.yml'),
        `name: ${name}\nruns:\n  using: node24\n  main: index.js\n`,
      );
      await writeFile(join(folder, 'index.js'), script);
    }
    // Something for the cache to keep.
    await mkdir(join(this.#home.path, '.m2/repository'), { recursive: true });
    await writeFile(join(this.#home.path, '.m2/repository/one.jar'), 'one');
    execFileSync('git', ['init', '-q', '--bare', '-b', 'main', this.remote]);
    this.git('init', '-q', '-b', 'main');
    this.git('add', '-A');
    this.git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-q', '-m', 'first');
    // act takes the repository's name from the address; git goes to the folder instead.
    this.git('remote', 'add', 'origin', 'https://github.com/octo/shop');
    this.git('config', `url.file://${this.remote}.insteadOf`, 'https://github.com/octo/shop');
    this.git('push', '-q', 'origin', 'main');
  }

  git(...args: string[]): string {
    return execFileSync('git', ['-C', this.checkout, ...args], { encoding: 'utf8' });
  }

  /** Changes what makes the seeded data, and so the key of its cache. */
  async changeData(text: string): Promise<void> {
    const folder = join(this.checkout, 'db/seed');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, '00.sql'), text);
    this.git('add', '-A');
    this.git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-q', '-m', 'data');
    this.git('push', '-q', 'origin', 'main');
  }

  read(file: string): Promise<string> {
    return readFile(join(this.checkout, file), 'utf8');
  }

  /** Commits a change of one text in a file. */
  async edit(file: string, text: string, changed: string): Promise<void> {
    const present = await this.read(file);
    if (!present.includes(text)) throw new Error(`${file} does not hold ${text}`);
    await writeFile(join(this.checkout, file), present.replace(text, changed));
    this.git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-q', '-a', '-m', 'edit');
  }

  /** Adds a workflow that only calls another one. */
  async callWorkflow(event: string, called: string): Promise<void> {
    const text = [
      'name: short',
      `on: ${event}`,
      'jobs:',
      '  gate:',
      `    uses: ./.github/workflows/${called}`,
      '    with: { owner: octo, ref: main }',
      '',
    ].join('\n');
    await writeFile(join(this.checkout, '.github/workflows/short.yml'), text);
  }

  /** Goes to a branch on which the service is slower, and answers with the commit that it began at. */
  async makeSlower(): Promise<string> {
    const base = this.git('rev-parse', 'main').trim();
    this.git('switch', '-q', '-C', 'slower', 'main');
    const [file, fast, slow] = slower[this.#service];
    const path = join(this.checkout, file);
    const text = await readFile(path, 'utf8');
    if (!text.includes(fast)) throw new Error(`${file} does not hold ${fast}`);
    await writeFile(path, text.replace(fast, slow));
    this.git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-q', '-a', '-m', 'slower');
    return base;
  }

  /** The files of an artifact that a workflow uploaded, by name. */
  async uploaded(artifact: string): Promise<ReadonlyMap<string, Buffer>> {
    const folder = join(this.#uploads, artifact);
    const names = await readdir(folder);
    return new Map(
      await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const)),
    );
  }

  async run(
    workflow: string,
    event: RunnerEvent,
    apiUrl: string,
    env: Readonly<Record<string, string>> = {},
  ): Promise<WorkflowResult> {
    const payload = join(this.#home.path, 'event.json');
    await writeFile(payload, JSON.stringify(event.payload));
    await rm(this.#uploads, { recursive: true, force: true });
    const given = {
      GITHUB_API_URL: apiUrl,
      GITHUB_REPOSITORY: 'octo/shop',
      GATE_K6: process.env.GATE_K6 ?? 'k6',
      GATE_CACHE: join(this.#home.path, 'cache'),
      UPLOADS: this.#uploads,
      REMOTE: this.remote,
      ...env,
    };
    const pins = await this.#pins();
    const child = spawn(
      'act',
      [
        event.name,
        ...['-W', join('.github/workflows', workflow), '-e', payload],
        ...['-P', 'ubuntu-24.04=-self-hosted', '-s', 'GITHUB_TOKEN=token-of-the-job'],
        ...[
          '--action-cache-path',
          join(this.#home.path, 'actions'),
          '--cache-server-path',
          join(this.#home.path, 'caches'),
        ],
        ...pins.flatMap((pin) => [
          '--local-repository',
          `https://github.com/${pin}=${join(this.#home.path, 'stand-ins', pin.split('@')[0] ?? '')}`,
        ]),
        ...Object.entries(given).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
      ],
      {
        cwd: this.checkout,
        env: { PATH: process.env.PATH, HOME: this.#home.path },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let log = '';
    child.stdout.on('data', (chunk) => {
      log += String(chunk);
    });
    child.stderr.on('data', (chunk) => {
      log += String(chunk);
    });
    const code = await new Promise<number | null>((done) => child.on('close', done));
    return { code, log };
  }

  /** `owner/name@commit` of every action of others that a workflow uses. */
  async #pins(): Promise<string[]> {
    const folder = join(this.checkout, '.github/workflows');
    const texts = await Promise.all(
      (await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')),
    );
    const found = texts.flatMap((text) =>
      [...text.matchAll(/uses: (actions\/[\w-]+@[0-9a-f]{40})/g)].map(([, pin]) => pin ?? ''),
    );
    return [...new Set(found)].filter((pin) => replacedActions[pin.split('@')[0] ?? ''] !== undefined);
  }

  async remove(): Promise<void> {
    await this.#home.rm();
  }
}
