import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectName } from '../../src/adapters/compose/project.ts';
import { reportFileSchema } from '../../src/model/report-file.ts';
import { archiveOf } from '../github/archive.ts';
import { FakeGitHub, type FakePullRequest, firstAttempt, minutesInto } from '../github/fake-github.ts';
import { ActRepository, lackOfAct, type WorkflowResult } from './act.ts';
import { lackOfEngine, nodeImage, remains } from './compose-engine.ts';
import { commentEvent, dispatchEvent, pullRequestEvent, pushEvent, workflowRunEvent } from './events.ts';
import { processesMentioning } from './gate.ts';

const own: FakePullRequest = {
  number: 7,
  state: 'open',
  headSha: 'a'.repeat(40),
  headBranch: 'slower',
  headRepository: 'octo/shop',
};
const fromFork = { ...own, number: 8, headSha: 'b'.repeat(40), headRepository: 'mona/shop' };

/** The id that act gives every run. */
const actRunId = 1;

function textOf(files: ReadonlyMap<string, Buffer>, name: string): string {
  const file = files.get(name);
  if (file === undefined) throw new Error(`uploaded were ${[...files.keys()].join(', ')}, not ${name}`);
  return file.toString('utf8');
}

/** A repository with the workflows, and GitHub as they see it. */
class Story {
  readonly repository: ActRepository;
  readonly github: FakeGitHub;
  /** For the jobs that measure. */
  readonly #env: Readonly<Record<string, string>>;

  private constructor(repository: ActRepository, github: FakeGitHub, env: Readonly<Record<string, string>>) {
    this.repository = repository;
    this.github = github;
    this.#env = env;
  }

  static async begin(
    service: 'tiny' | 'tiny-compose',
    env: Readonly<Record<string, string>> = {},
  ): Promise<Story> {
    const github = await FakeGitHub.start();
    github.pullRequests = [own, fromFork];
    return new Story(await ActRepository.create(service), github, env);
  }

  async end(): Promise<void> {
    await this.github.stop();
    expect(this.github.violations).toEqual([]);
    expect(await processesMentioning(this.repository.path)).toEqual([]);
    await this.repository.remove();
  }

  /** GitHub keeps what the first job uploads, and the second job of the same run asks for it. */
  async record(): Promise<WorkflowResult> {
    const { repository, github } = this;
    github.onList = async () => {
      const content = textOf(await repository.uploaded('perf-gate-baseline'), 'report.json');
      github.artifacts = [
        {
          id: 10,
          name: 'perf-gate-baseline',
          runId: actRunId,
          headSha: repository.git('rev-parse', 'HEAD').trim(),
          archive: await archiveOf({ name: 'report.json', content }),
        },
      ];
    };
    const recorded = await repository.run('perf-baseline.yml', pushEvent(), github.url, this.#env);
    github.onList = async () => undefined;
    return recorded;
  }

  /** The statuses of a head that branches can require. */
  statesOf({ headSha }: FakePullRequest): readonly string[] {
    const own = this.github.statuses.filter(
      ({ sha, context }) => sha === headSha && context === 'perf-gate (pr)',
    );
    return own.map(({ state }) => state);
  }

  /** Measures a pull request and publishes what came of it; GitHub keeps what it is sent. */
  async check(pull: FakePullRequest, baseSha: string) {
    const { repository, github } = this;
    github.readOnly = true;
    github.baseHistory.add(baseSha);
    github.contents.set(`perf/gate.yml?ref=${pull.headSha}`, await repository.read('perf/gate.yml'));
    const event = pullRequestEvent(pull, baseSha);
    const measured = await repository.run('perf-gate.yml', event, github.url, this.#env);
    const report = textOf(await repository.uploaded('perf-gate-report'), 'report.json');
    expect(textOf(await repository.uploaded('report.html'), 'report.html')).toContain(
      '<code>browse@few</code>',
    );
    github.readOnly = false;
    github.artifacts = [
      {
        id: 11,
        name: 'perf-gate-report',
        runId: 42,
        headSha: pull.headSha,
        archive: await archiveOf({ name: 'report.json', content: report }),
      },
    ];
    const published = await repository.run('perf-publish.yml', workflowRunEvent(pull), github.url);
    return { measured, report, published };
  }

  /** Somebody comments on a pull request whose check has ended. */
  async comment(pull: FakePullRequest, author: string, body: string): Promise<WorkflowResult> {
    this.github.ranUntil = minutesInto(firstAttempt);
    return this.repository.run('perf-publish.yml', commentEvent(pull.number, author, body), this.github.url);
  }
}

/** The workflows themselves, run in the order in which they follow one another on GitHub. */
describe.skipIf(lackOfAct() !== undefined)('the workflows', () => {
  let story: Story;
  let repository: ActRepository;
  let github: FakeGitHub;

  beforeAll(async () => {
    story = await Story.begin('tiny');
    ({ repository, github } = story);
  });

  afterAll(() => story.end());

  const main = () => repository.git('rev-parse', 'main').trim();

  it('record a push to main', async () => {
    const { code, log } = await story.record();
    expect(code, log).toBe(0);
    expect(repository.git('ls-remote', 'origin')).toMatch(/perf-gate-baseline/);
  });

  it('pass a good pull request without a word', async () => {
    const { measured, published } = await story.check(own, main());
    expect(measured.code, measured.log).toBe(0);
    expect(published.code, published.log).toBe(0);
    expect(github.commentsOn(7)).toEqual([]);
    expect(story.statesOf(own)).toEqual(['success']);
  });

  it('fail a bad pull request, and comment on it from the trusted side', async () => {
    const { measured, published } = await story.check(own, await repository.makeSlower());
    expect(measured.code, measured.log).toBe(1);
    expect(measured.log).toContain('regression');
    expect(published.code, published.log).toBe(0);
    expect(github.commentsOn(7)).toHaveLength(1);
    expect(github.commentsOn(7)[0]?.body).toContain('browse@few');
    expect(github.commentsOn(7)[0]?.body).toContain('re-measured against');
    expect(story.statesOf(own)).toEqual(['success', 'failure']);
  });

  it.each([
    ['good', 0],
    ['bad', 1],
  ] as const)(
    'come to the same end of a %s pull request when the service of artifacts is down',
    async (kind, end) => {
      repository.git('switch', '-q', 'main');
      const event = pullRequestEvent(own, kind === 'bad' ? await repository.makeSlower() : main());
      const down = { ARTIFACTS_DOWN: 'yes' };
      const { code, log } = await repository.run('perf-gate.yml', event, github.url, down);
      expect(code, log).toBe(end);
      expect(log).toMatch(/perf-publish\.yml may have no report.*verdict does not change/);
      github.artifacts = [];
      const published = await repository.run('perf-publish.yml', workflowRunEvent(own), github.url);
      expect(published.code, published.log).toBe(0);
      expect(published.log).toContain('nothing posted');
      expect(story.statesOf(own).at(-1)).toBe('failure');
    },
  );

  it('do the same for one from a fork', async () => {
    const head = repository.git('ls-remote', 'origin');
    const before = github.commentsOn(7);
    const { measured, published } = await story.check(fromFork, await repository.makeSlower());
    expect(measured.code, measured.log).toBe(1);
    expect(published.code, published.log).toBe(0);
    expect(github.commentsOn(8)).toHaveLength(1);
    const [{ body } = { body: '' }] = github.commentsOn(8);
    expect(body).toMatch(/^🔴 \*\*/m);
    expect(body).toContain('browse');
    expect(body).toContain('mona/shop');
    expect(story.statesOf(fromFork)).toEqual(['failure']);
    expect(github.commentsOn(7)).toEqual(before);
    expect(repository.git('ls-remote', 'origin')).toBe(head);
  });

  it('accept its regression when somebody who may write says so, and only then', async () => {
    github.writers.add('octocat');
    const command = '/perf-gate accept the audit log needs one more write';
    const refused = await story.comment(fromFork, 'mona', command);
    expect(refused.code, refused.log).toBe(1);
    expect(refused.log).toContain('E_ACCEPT_PERMISSION');
    const talk = await story.comment(fromFork, 'octocat', 'nice work');
    expect(talk.code, talk.log).toBe(0);
    expect(story.statesOf(fromFork)).toEqual(['failure']);
    const accepted = await story.comment(fromFork, 'octocat', command);
    expect(accepted.code, accepted.log).toBe(0);
    expect(story.statesOf(fromFork)).toEqual(['failure', 'success']);
    expect(github.reactions).toEqual(['77 confused', '77 +1']);
    const [{ body } = { body: '' }] = github.commentsOn(8);
    expect(body).toMatch(/^🟡 \*\*/m);
    expect(body).toContain('the audit log needs one more write');
  });

  it('judge a pull request that widens its own limits by those of main', async () => {
    const base = await repository.makeSlower();
    // Its own limits are far beyond what it does, because more than half of a limit is a regression.
    await repository.edit(
      'perf/gate.yml',
      'p95: 900%, tps: 50%, serviceCpu: 525%',
      'p95: 999900%, tps: 99.99%, serviceCpu: 999900%',
    );
    github.files = [{ filename: 'perf/gate.yml', status: 'modified' }];
    const { measured, published } = await story.check(own, base);
    expect(measured.code, measured.log).toBe(0);
    expect(measured.log).toContain('tolerances.p95: 900% → 999900%');
    expect(published.code, published.log).toBe(0);
    expect(story.statesOf(own).at(-1)).toBe('failure');
    const [{ body } = { body: '' }] = github.commentsOn(7);
    expect(body).toContain("Judged by the default branch's limits");
    expect(body).toContain('900% → 999900%');
    github.files = [];
  });

  it('do the same in a file of a few lines that calls them from elsewhere', async () => {
    repository.git('switch', '-q', 'main');
    await repository.callWorkflow('pull_request', 'call-gate.yml');
    const event = pullRequestEvent(own, main());
    const { code, log } = await repository.run('short.yml', event, github.url);
    expect(code, log).toBe(0);
    expect(textOf(await repository.uploaded('perf-gate-report'), 'report.json')).toContain('browse');
  });

  it('keep the data for the next run, and restore it only for a pull request from a fork', async () => {
    repository.git('switch', '-q', 'main');
    await repository.changeData('first');
    const restored = async (pull: FakePullRequest) => {
      const { log } = (await story.check(pull, main())).measured;
      return /cache perf-gate-\S+: (\w+)/.exec(log)?.[1];
    };
    expect(await restored(fromFork)).toBe('miss');
    expect(await restored(own)).toBe('miss');
    expect(await restored(fromFork)).toBe('hit');
  });

  it('measure at peak by hand', async () => {
    const event = dispatchEvent();
    const inputs = { suite: 'peak', 'vu-factor': '2', minutes: '0.2', ramp: true };
    const { code, log } = await repository.run(
      'perf-peak.yml',
      { ...event, payload: { ...(event.payload as object), inputs } },
      github.url,
    );
    expect(code, log).toBe(0);
    const kept = await repository.uploaded('perf-gate-peak');
    expect(JSON.parse(textOf(kept, 'report.json'))).toMatchObject({
      vuFactor: 2,
      run: { suite: 'peak', cells: [{ vus: 8 }] },
    });
    const series = await repository.uploaded('perf-gate-peak-series');
    const [firstLine = ''] = gunzipSync(series.get('series.jsonl.gz') ?? '')
      .toString()
      .split('\n');
    expect(JSON.parse(firstLine)).toMatchObject({ schema: 1, phase: 'warm-up' });
    expect(textOf(await repository.uploaded('report.html'), 'report.html')).toContain('browse@');
  });
});

describe.skipIf((lackOfAct() ?? lackOfEngine()) !== undefined)(
  'with the containers of a compose file',
  () => {
    it('a push is recorded, a good pull request passes, a bad one fails, and none is left', async () => {
      const story = await Story.begin('tiny-compose', { TINY_IMAGE: nodeImage() });
      const { repository, github } = story;
      try {
        const recorded = await story.record();
        expect(recorded.code, recorded.log).toBe(0);

        const good = await story.check(own, repository.git('rev-parse', 'main').trim());
        expect(good.measured.code, good.measured.log).toBe(0);
        expect(good.measured.log).toContain('nothing was left running');
        const { run } = reportFileSchema.parse(JSON.parse(good.report));
        expect(run.fingerprint).toMatchObject({ stack: 'compose' });
        expect(run.cells.map(({ scenario, load }) => `${scenario}@${load}`)).toEqual(['browse@few']);
        expect(github.commentsOn(7)).toEqual([]);

        const bad = await story.check(own, await repository.makeSlower());
        expect(bad.measured.code, bad.measured.log).toBe(1);
        expect(bad.published.code, bad.published.log).toBe(0);
        expect(github.commentsOn(7)).toHaveLength(1);
        expect(github.commentsOn(7)[0]?.body).toMatch(/^🔴 \*\*/m);
        expect(remains(projectName(repository.checkout))).toEqual([]);
      } finally {
        await story.end();
      }
    });
  },
);
