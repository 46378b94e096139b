import { execFileSync } from 'node:child_process';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFixture, type FsFixture } from 'fs-fixture';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectName } from '../../src/adapters/compose/project.ts';
import { FakeGitHub, type FakePullRequest } from '../github/fake-github.ts';
import { keepReport } from '../github/report-artifact.ts';
import { docker, lackOfEngine, pythonImage, remains } from './compose-engine.ts';
import { pullRequestEvent, pushEvent } from './events.ts';
import { processesMentioning } from './gate.ts';
import { FakeRunner, type RunnerEvent, type StepResult } from './runner.ts';
import { lackOfTool } from './tool.ts';

/** Why the service cannot be run here; undefined if it can. */
const noPython = lackOfTool('python3', 'tests of a service in another language');
const noEngine = lackOfEngine();

/** A project of somebody else in a repository of its own; each job gets a fresh, shallow, detached checkout. */
class ForeignRepository {
  readonly #home: FsFixture;
  #jobs = 0;

  private constructor(home: FsFixture) {
    this.#home = home;
  }

  static async create(): Promise<ForeignRepository> {
    const repository = new ForeignRepository(await createFixture());
    execFileSync('git', ['init', '-q', '--bare', '-b', 'main', repository.remote]);
    await cp(join(import.meta.dirname, 'foreign'), repository.#work, { recursive: true });
    repository.#git('init', '-q', '-b', 'main');
    repository.#git('remote', 'add', 'origin', repository.remote);
    repository.#push('main');
    return repository;
  }

  get path(): string {
    return this.#home.path;
  }

  get remote(): string {
    return join(this.#home.path, 'remote.git');
  }

  get #work(): string {
    return join(this.#home.path, 'work');
  }

  #git(...args: string[]): string {
    return execFileSync('git', ['-C', this.#work, ...args], { encoding: 'utf8' });
  }

  #push(branch: string): void {
    this.#git('add', '-A');
    this.#git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-q', '-m', branch);
    this.#git('push', '-q', 'origin', branch);
  }

  /** What pull requests are to be merged into. */
  get base(): string {
    return this.#git('rev-parse', 'main').trim();
  }

  branches(): string {
    return this.#git('ls-remote', 'origin');
  }

  /** Pushes a branch of main with the text replaced in the service, and opens a pull request for it. */
  async propose(number: number, from: string, to: string): Promise<FakePullRequest> {
    const headBranch = `change-${number}`;
    const file = join(this.#work, 'app.py');
    this.#git('switch', '-q', '-c', headBranch, 'main');
    const before = await readFile(file, 'utf8');
    if (!before.includes(from)) throw new Error(`app.py does not hold ${from}`);
    await writeFile(file, before.replace(from, to));
    this.#push(headBranch);
    const headSha = this.#git('rev-parse', 'HEAD').trim();
    return { number, state: 'open', headSha, headBranch, headRepository: 'octo/shop' };
  }

  /** A checkout as actions/checkout makes it. */
  checkout(branch: string): string {
    this.#jobs += 1;
    const folder = join(this.#home.path, `job-${this.#jobs}`);
    execFileSync('git', ['clone', '-q', '--depth=1', '--branch', branch, `file://${this.remote}`, folder]);
    execFileSync('git', ['-C', folder, 'checkout', '-q', '--detach']);
    return folder;
  }

  async remove(): Promise<void> {
    await this.#home.rm();
  }
}

describe.skipIf(noPython !== undefined).each([
  { by: 'a command', stack: 'process', lacking: undefined },
  { by: 'its own compose file', stack: 'compose', lacking: noEngine },
])('a service in another language that the Action has never seen, started by $by', ({ stack, lacking }) => {
  describe.skipIf(lacking !== undefined)('from its first check on', () => {
    let repository: ForeignRepository;
    let github: FakeGitHub;

    beforeAll(async () => {
      repository = await ForeignRepository.create();
      github = await FakeGitHub.start();
    });

    afterAll(async () => {
      await github.stop();
      expect(github.violations).toEqual([]);
      await repository.remove();
    });

    /** One job: the step, and what the runner does after it. */
    async function job(
      branch: string,
      event: RunnerEvent,
      inputs = {},
    ): Promise<StepResult & { readonly report: string }> {
      const workspace = repository.checkout(branch);
      const runner = new FakeRunner(workspace, github, join(repository.path, 'runner'));
      const env = stack === 'compose' ? { PYTHON: pythonImage() } : {};
      const result = await runner.main(event, { stack, ...inputs }, env);
      const report = await readFile(join(workspace, result.outputs['report-json'] ?? ''), 'utf8');
      const project = projectName(workspace);
      const images =
        lacking === undefined && stack === 'compose' ? docker('images', '-q', `${project}-*`) : [];
      try {
        const post = await runner.post(event, result);
        expect(post).toMatchObject({ code: 0, log: expect.stringContaining('nothing was left running') });
        expect(await processesMentioning(workspace)).toEqual([]);
        if (stack === 'compose') expect(remains(project)).toEqual([]);
        expect(execFileSync('git', ['-C', workspace, 'status', '--porcelain'], { encoding: 'utf8' })).toBe(
          '',
        );
      } finally {
        if (images.length > 0) docker('image', 'rm', '--force', ...images);
        await rm(workspace, { recursive: true });
      }
      return { ...result, report };
    }

    it('compares a pull request that there is no baseline for with its base commit, and stores nothing', async () => {
      const pull = await repository.propose(1, '"ok"', '"fine"');
      github.pullRequests = [pull];
      const { code, log, outputs, summary } = await job(
        pull.headBranch,
        pullRequestEvent(pull, repository.base),
      );
      expect(code, log).toBe(0);
      expect(outputs).toMatchObject({ verdict: expect.stringMatching(/^(pass|coarse)$/), regressions: '0' });
      expect(summary).toContain('measured interleaved with head on this machine');
      expect(repository.branches()).not.toContain('baseline');
    });

    it('records a push to the default branch', async () => {
      const { code, log, report } = await job('main', pushEvent(), { compare: 'none' });
      expect(code, log).toBe(0);
      const headSha = repository.base;
      await keepReport(github, report, { name: 'perf-gate-baseline', headSha });
      const runner = new FakeRunner(repository.checkout('main'), github, join(repository.path, 'runner'));
      const recorded = await runner.record(headSha, {});
      expect(recorded.code, recorded.log).toBe(0);
      expect(repository.branches()).toContain('refs/heads/perf-gate-baseline');
    });

    it('passes a good pull request', async () => {
      const pull = await repository.propose(2, '"no such book"', '"there is no such book"');
      github.pullRequests = [pull];
      const { code, log, outputs } = await job(pull.headBranch, pullRequestEvent(pull, repository.base));
      expect(code, log).toBe(0);
      expect(outputs).toMatchObject({
        verdict: expect.stringMatching(/pass|coarse/),
        regressions: '0',
      });
      // It was compared, whatever chance made of the figure.
      expect(outputs['worst-p95-change']).toMatch(/^-?\d/);
    });

    it('fails a bad one, and names the endpoint in its comment', async () => {
      const pull = await repository.propose(
        3,
        'return query(BY_AUTHOR.get(author, []))',
        'return [query(book) for book in BY_AUTHOR.get(author, [])]',
      );
      github.pullRequests = [pull];
      const { code, log, outputs, summary, report } = await job(
        pull.headBranch,
        pullRequestEvent(pull, repository.base),
      );
      expect(code, log).toBe(1);
      expect(outputs).toMatchObject({ verdict: 'regression', regressions: '1' });
      expect(Number(outputs['worst-p95-change'])).toBeGreaterThan(1);
      const [comment, ...others] = github.commentsOn(3);
      expect(others).toEqual([]);
      expect(comment?.body).toBe(outputs['comment-body']?.trim());
      expect(comment?.body).toMatch(
        /^🔴 \*\*Slower\*\*: the (?:p95 response time|throughput) of `search` at `few` /m,
      );
      expect(comment?.body).toMatch(/\*\*Endpoint\*\* `books by author` in `search@few`: mean /);
      // An endpoint without a name of its own takes its path, whatever port the service got.
      expect(JSON.parse(report).run.cells[0].blocks[0].endpoints).toContainEqual(
        expect.objectContaining({ name: '/health' }),
      );
      // What to do next must be there to be done.
      expect(comment?.body).toContain('`git push`');
      expect(`${comment?.body}${summary}${log}`).not.toContain('./gate');
      expect(log).toMatch(/^::error title=search@few.*file=perf\/gate\.yml,line=\d+/m);
    });
  });
});
