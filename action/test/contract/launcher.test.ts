import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, statSync } from 'node:fs';
import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { knownK6Archives } from '../../src/adapters/k6/download.ts';

const gate = fileURLToPath(new URL('../../../gate', import.meta.url));
const testRun = fileURLToPath(new URL('../../scripts/test-run', import.meta.url));

/** The programs of the machine that the launcher may use; every other program on PATH is a stub. */
const commonTools =
  'sh awk cat chmod cksum cp curl cut date df dirname du env find getconf gzip head id ls ln mkdir mv paste readlink rm sed sha256sum shasum sleep sysctl tail tar touch tr uname'.split(
    ' ',
  );

const platforms: Record<string, { k6: string; jdk: string }> = {
  'linux-x64': { k6: 'linux-amd64.tar.gz', jdk: 'linux/x64' },
  'linux-arm64': { k6: 'linux-arm64.tar.gz', jdk: 'linux/aarch64' },
  'darwin-x64': { k6: 'macos-amd64.zip', jdk: 'mac/x64' },
  'darwin-arm64': { k6: 'macos-arm64.zip', jdk: 'mac/aarch64' },
};
const platform = platforms[`${process.platform}-${process.arch}`] ?? { k6: '', jdk: '' };
const k6Name = `k6-v2.2.0-${platform.k6}`;
const jdkName = `OpenJDK25U-jdk_${platform.jdk.split('/').reverse().join('_')}_hotspot_25.0.3_9.tar.gz`;
const jdkRelease = `/v3/binary/version/jdk-25.0.3%2B9/${platform.jdk}/jdk/hotspot/normal/eclipse`;

/** Replaces the CLI, and prints what the launcher hands over. */
const cliStub = `
const { JAVA_HOME, GATE_K6, GATE_CACHE, GATE_ROOT, PATH } = process.env;
console.log(JSON.stringify({ args: process.argv.slice(2), pid: process.pid, JAVA_HOME, GATE_K6, GATE_CACHE, GATE_ROOT, PATH }));
`;

interface Launched {
  readonly ended: Promise<Result>;
  /** What it has written to standard error so far. */
  complained(): string;
  terminate(): void;
}

interface Result {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  readonly pid: number | undefined;
}

/** A machine in a folder: a checkout, a PATH of stubs, a home, a cache, and a release server on loopback. */
class Machine {
  readonly files = new Map<string, Buffer | string>();
  readonly redirects = new Map<string, string>();
  readonly requests: string[] = [];
  /** The server waits for this before it answers. */
  ready: Promise<void> = Promise.resolve();
  env: Record<string, string> = {};
  readonly dir: string;
  readonly #server: Server;

  static async start(): Promise<Machine> {
    const machine = new Machine(await mkdtemp(join(tmpdir(), 'gate-launcher-')));
    await machine.#furnish();
    return machine;
  }

  private constructor(dir: string) {
    this.dir = dir;
    this.#server = createServer(async (request, response) => {
      const path = request.url ?? '';
      this.requests.push(path);
      await this.ready;
      const body = this.files.get(path);
      const location = this.redirects.get(path);
      if (location !== undefined) response.writeHead(302, { location }).end();
      else response.writeHead(body === undefined ? 404 : 200).end(body);
    });
  }

  async #furnish(): Promise<void> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done));
    const { port } = this.#server.address() as AddressInfo;
    this.env = {
      PATH: this.path('bin'),
      HOME: this.path('home'),
      TMPDIR: this.path('tmp'),
      PERF_GATE_CACHE: this.path('cache'),
      PERF_GATE_JDK_DIRS: this.path('jdks'),
      PERF_GATE_K6_URL: `http://127.0.0.1:${port}`,
      PERF_GATE_JDK_URL: `http://127.0.0.1:${port}`,
      PERF_GATE_NODE_URL: `http://127.0.0.1:${port}`,
    };
    for (const dir of ['bin', 'home', 'tmp', 'jdks']) await mkdir(this.path(dir), { recursive: true });
    for (const tool of commonTools) {
      const found = whereIs(tool);
      if (found !== undefined) await symlink(found, this.path('bin', tool));
    }
    await symlink(process.execPath, this.path('bin/node'));
    await this.stub('bin/mvn', 'echo asked >>"$HOME/mvn-asked"; echo "Apache Maven 3.9.11 (stub)"');
    await this.stub('bin/k6', 'echo "k6 v2.2.0 (stub)"');
    await this.stub('bin/npm', 'echo "npm was not wanted here" >&2; exit 9');
    await this.jdk('jdks/right', '25.0.3');

    await this.write('checkout/action/src/entry/cli/cli.ts', cliStub);
    await this.write('checkout/action/package-lock.json', '{}');
    await this.write('checkout/action/node_modules/.package-lock.json', '{}');
    await mkdir(this.path('checkout/perf/tools'), { recursive: true });
    await cp(gate, this.path('checkout/gate'));
    await cp(testRun, this.path('checkout/action/scripts/test-run'), { recursive: true });
  }

  path(...parts: string[]): string {
    return join(this.dir, ...parts);
  }

  async write(path: string, text: string): Promise<void> {
    await mkdir(this.path(path, '..'), { recursive: true });
    await writeFile(this.path(path), text);
  }

  async stub(path: string, body: string): Promise<void> {
    await this.remove(path);
    await this.write(path, `#!/bin/sh\n${body}\n`);
    await chmod(this.path(path), 0o755);
  }

  /** Without the file `release`, only the JDK's java knows its version. */
  async jdk(path: string, version: string, { release = true } = {}): Promise<void> {
    await this.stub(`${path}/bin/java`, `echo 'openjdk version "${version}" 2026-04-21 LTS' >&2`);
    await this.stub(`${path}/bin/javac`, 'exit 0');
    await this.write(`${path}/lib/modules`, '');
    if (release) await this.write(`${path}/release`, `JAVA_VERSION="${version}"\n`);
  }

  /** A Go that prints its version, and runs `body` for every other command. */
  async go(body: string, { version = '1.26.8', path = 'bin/go' } = {}): Promise<void> {
    await this.stub(
      path,
      `[ "$1" != version ] || { echo "go version go${version} linux/amd64"; exit; }\n${body}`,
    );
  }

  async remove(path: string): Promise<void> {
    await rm(this.path(path), { recursive: true, force: true });
  }

  read(path: string): Promise<string> {
    return readFile(this.path(path), 'utf8');
  }

  async list(path: string): Promise<string[]> {
    return readdir(this.path(path)).catch(() => []);
  }

  /** Packs folder `name` under `work/` as its releases do. */
  async pack(name: string, archive: string): Promise<Buffer> {
    execFileSync('tar', ['-a', '-cf', this.path(archive), '-C', this.path('work'), name]);
    return readFile(this.path(archive));
  }

  /** Makes the launcher expect this content, or another with the given checksum. */
  async pin(name: string, content: Buffer, checksum = sha256(content)): Promise<void> {
    const text = await this.read('checkout/gate');
    const [old, ...others] = text.split('\n').filter((line) => line.endsWith(`  ${name}`));
    expect(others, `one pin of ${name}`).toEqual([]);
    expect(old).toMatch(/^[0-9a-f]{64} {2}/);
    await writeFile(this.path('checkout/gate'), text.replace(old ?? '', `${checksum}  ${name}`));
  }

  async publishK6({ version = '2.2.0', checksum = undefined as string | undefined } = {}): Promise<void> {
    const folder = k6Name.replace(/\.(tar\.gz|zip)$/, '');
    await this.stub(`work/${folder}/k6`, `echo "k6 v${version} (released)"`);
    const archive = await this.pack(folder, k6Name);
    this.files.set(`/v2.2.0/${k6Name}`, archive);
    await this.pin(k6Name, archive, checksum);
  }

  async publishJdk({ checksum = undefined as string | undefined } = {}): Promise<void> {
    await this.jdk('work/jdk-25.0.3+9', '25.0.3');
    const archive = await this.pack('jdk-25.0.3+9', 'jdk.tar.gz');
    this.files.set(jdkRelease, archive);
    await this.pin(jdkName, archive, checksum);
  }

  /** A machine that has no Node of its own, and a release of one for the platform. */
  async publishNode(platform: string, { checksum = undefined as string | undefined } = {}): Promise<void> {
    const folder = `node-v24.21.0-${platform}`;
    await this.stub('bin/node', 'echo v20.19.0');
    await mkdir(this.path('work', folder, 'bin'), { recursive: true });
    await symlink(process.execPath, this.path('work', folder, 'bin/node'));
    const archive = await this.pack(folder, `${folder}.tar.gz`);
    this.files.set(`/v24.21.0/${folder}.tar.gz`, archive);
    await this.pin(`${folder}.tar.gz`, archive, checksum);
  }

  /** What `uname` prints on another machine. */
  async pretend(system: string, processor: string): Promise<void> {
    await this.stub(
      'bin/uname',
      `case $1 in -s) echo ${system} ;; -m) echo ${processor} ;; *) echo ${system} ${processor} ;; esac`,
    );
  }

  /** Not by way of a library, since those add folders to PATH and reopen what a signal closes. */
  launch(...args: string[]): Launched {
    return this.launchFrom('checkout', ...args);
  }

  launchFrom(folder: string, ...args: string[]): Launched {
    const child = spawn(this.path('checkout/gate'), args, {
      env: this.env,
      cwd: this.path(folder),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    let err = '';
    child.stdout.on('data', (text) => {
      out += text;
    });
    child.stderr.on('data', (text) => {
      err += text;
    });
    const ended = new Promise<Result>((done, fail) => {
      child.on('error', fail);
      child.on('close', (code) => done({ code, out, err, pid: child.pid }));
    });
    return { ended, complained: () => err, terminate: () => child.kill('SIGTERM') };
  }

  run(...args: string[]): Promise<Result> {
    return this.launch(...args).ended;
  }

  async handedOver(...args: string[]) {
    const result = await this.run(...args);
    expect(result.err).toBe('');
    return { ...JSON.parse(result.out), launcherPid: result.pid };
  }

  goOffline(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async destroy(): Promise<void> {
    this.goOffline();
    await rm(this.dir, { recursive: true, force: true });
  }
}

/** What `go build` does, for a `go` stub. */
const buildsK6 = `while [ "$1" != -o ]; do shift; done
  printf '#!/bin/sh\\necho "k6 v2.2.0 (built)"\\n' >"$2"
  chmod +x "$2"`;

function whereIs(tool: string): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((dir) => join(dir, tool))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return statSync(path).isFile();
      } catch {
        return false;
      }
    });
}

function sha256(data: Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

async function eventually(what: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 2400; tries += 1) {
    if (await what()) return;
    await sleep(50);
  }
  throw new Error('it did not come about in two minutes');
}

const wrongChecksum = 'bad0'.repeat(16);

let machine: Machine;
beforeEach(async () => {
  machine = await Machine.start();
});
afterEach(() => machine.destroy());

describe('handing over', () => {
  it('replaces itself by the CLI, with the tools in its environment and no word of its own', async () => {
    const given = await machine.handedOver('check', '--suite', 'two words');
    expect(given).toMatchObject({
      args: ['check', '--suite', 'two words'],
      JAVA_HOME: machine.path('jdks/right'),
      GATE_K6: machine.path('bin/k6'),
      GATE_CACHE: machine.path('cache'),
      GATE_ROOT: machine.path('checkout'),
      PATH: `${machine.path('jdks/right/bin')}:${machine.path('bin')}`,
    });
    expect(given.pid).toBe(given.launcherPid);
  });

  it('wants no JDK, Maven or k6 for the help of a command, nor to look at another repository or at stored runs', async () => {
    for (const tool of ['bin/mvn', 'bin/k6', 'jdks/right']) await machine.remove(tool);
    expect((await machine.handedOver('check', '--help')).args).toEqual(['check', '--help']);
    expect((await machine.handedOver('init', '../shop')).args).toEqual(['init', '../shop']);
    for (const name of ['list', 'show', 'remove', 'pin', 'unpin']) {
      expect((await machine.handedOver('baseline', name)).args).toEqual(['baseline', name]);
    }
    expect((await machine.handedOver('history')).args).toEqual(['history']);
    const collect = ['generator', 'collect', 'out'];
    expect((await machine.handedOver(...collect)).args).toEqual(collect);
  });

  it('wants k6 alone for manifests of a load', async () => {
    for (const tool of ['bin/mvn', 'jdks/right']) await machine.remove(tool);
    const manifests = ['generator', 'kubernetes', 'browse@peak'] as const;
    expect((await machine.handedOver(...manifests)).GATE_K6).toBe(machine.path('bin/k6'));
    await machine.remove('bin/k6');
    expect((await machine.run(...manifests)).err).toContain('E_TOOL_K6');
  });

  it("wants no JDK and no Maven for another repository's service, named by where it is called or by its file", async () => {
    for (const tool of ['bin/mvn', 'jdks/right']) await machine.remove(tool);
    await machine.write('home/shop/perf/gate.yml', '');
    for (const [folder, ...args] of [
      ['home/shop', 'check'],
      ['checkout', 'check', '--config', '../home/shop/perf/gate.yml'],
      ['checkout', 'check', '--config=../home/shop/perf/gate.yml', '--suite', 'pr'],
      ['home', 'baseline'],
    ] as const) {
      const { code, err } = await machine.launchFrom(folder, ...args).ended;
      expect({ code, err }, `${folder}: ${args.join(' ')}`).toEqual({ code: 0, err: '' });
    }
    const own = await machine.launchFrom('home', 'check', '--config', '../checkout/perf/gate.yml').ended;
    expect(own.err).toContain('E_TOOL_JDK');
  });

  it('lists the commands for one that it does not know', async () => {
    const { code, err } = await machine.run('chekc');
    expect(code).toBe(2);
    expect(err).toBe(
      'error[E_USAGE] gate chekc: there is no command `chekc`; the commands are check, baseline, calibrate, report, compare, history, accept, peak, staircase, soak, sweep, catalogue, capacity, generator, up, down, init, bench, test, env, doctor, help\n  next: run ./gate help\n',
    );
    const { out } = await machine.run('help');
    for (const command of ['check', 'baseline', 'init', 'bench', 'test', 'env', 'doctor', 'help']) {
      expect(out.split('\n').filter((line) => line.startsWith(`  ${command} `))).toHaveLength(1);
    }
  });

  it('prints the environment of the tools that it is asked for, and of no others', async () => {
    await machine.remove('bin/k6');
    const { code, out, err } = await machine.run('env', 'jdk', 'mvn');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toBe(
      `PATH=${machine.path('jdks/right/bin')}:${machine.path('bin')}\nJAVA_HOME=${machine.path('jdks/right')}\n`,
    );
    expect((await machine.run('env', 'jkd')).err).toContain('E_USAGE');
    expect((await machine.run('env', 'go')).err).toContain('E_TOOL_GO');
  });

  it('prints its usage to stderr and fails without a command, so that an empty variable passes no gate', async () => {
    const { code, out, err } = await machine.run();
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('usage: ./gate COMMAND');
    expect((await machine.run('help')).out).toBe(err);
  });
});

describe('JDK', () => {
  it('ignores a java of another version on PATH, and asks java itself where a JDK has no release file', async () => {
    await machine.jdk('jdks/old', '17.0.15');
    await symlink(machine.path('jdks/old/bin/java'), machine.path('bin/java'));
    await machine.remove('jdks/right');
    await machine.jdk('jdks/silent', '25.0.1', { release: false });
    expect((await machine.handedOver('check')).JAVA_HOME).toBe(machine.path('jdks/silent'));
  });

  it('says that JAVA_HOME points to a wrong one, and uses the right one', async () => {
    await machine.jdk('seventeen', '17.0.15');
    machine.env = { ...machine.env, JAVA_HOME: machine.path('seventeen') };
    const { code, out, err } = await machine.run('check');
    expect(code).toBe(0);
    expect(JSON.parse(out).JAVA_HOME).toBe(machine.path('jdks/right'));
    expect(err).toBe(
      `note: JAVA_HOME (${machine.path('seventeen')}) is JDK 17.0.15, not JDK 25: ${machine.path('jdks/right')} is used instead\n`,
    );
  });

  it('gets one whose checksum is pinned, once', async () => {
    await machine.remove('jdks/right');
    await machine.publishJdk();
    const first = await machine.run('check');
    expect(first.err).toMatch(/^getting jdk 25\.0\.3\+9 \.\.\. downloaded in \d+ s\n$/);
    expect(JSON.parse(first.out).JAVA_HOME).toBe(machine.path('cache/jdk/25'));
    machine.goOffline();
    expect((await machine.handedOver('check')).JAVA_HOME).toBe(machine.path('cache/jdk/25'));
  });

  it('refuses one with another checksum and keeps nothing of it', async () => {
    await machine.remove('jdks/right');
    await machine.publishJdk({ checksum: wrongChecksum });
    const { code, err } = await machine.run('check');
    expect(code).toBe(2);
    expect(err).toMatch(
      /error\[E_TOOL_JDK\] .*: its checksum is \w+, but bad0\w+ is pinned in `gate`: .*refused and removed/,
    );
    expect(await machine.list('cache/jdk')).toEqual([]);
    expect(await machine.list('cache/tmp')).toEqual([]);
  });

  it('explains itself when none is installed and the download fails', async () => {
    await machine.jdk('jdks/right', '21.0.2');
    machine.env = { ...machine.env, JAVA_HOME: machine.path('jdks/right') };
    machine.goOffline();
    const { code, err } = await machine.run('check');
    expect(code).toBe(2);
    expect(err).toMatch(
      /error\[E_TOOL_JDK\] jdk 25: JAVA_HOME \(.*\) is JDK 21\.0\.2, and no other JDK 25 is installed, and it could not be downloaded: .*\n {2}next: install JDK 25/,
    );
  });
});

describe('k6', () => {
  it('ignores another version on PATH, downloads the release, and needs no network the second time', async () => {
    await machine.stub('bin/k6', 'echo "k6 v1.8.1 (stub)"');
    await machine.publishK6();
    const first = await machine.run('check');
    expect(first.err).toMatch(/^getting k6 2\.2\.0 \.\.\. downloaded in \d+ s\n$/);
    expect(JSON.parse(first.out).GATE_K6).toBe(machine.path('cache/k6/2.2.0/k6'));
    machine.goOffline();
    for (const tool of ['npm', 'curl']) await machine.remove(`bin/${tool}`);
    expect((await machine.handedOver('check')).GATE_K6).toBe(machine.path('cache/k6/2.2.0/k6'));
  });

  it('says that GATE_K6 is of another version', async () => {
    await machine.stub('mine', 'echo "k6 v2.3.0 (stub)"');
    machine.env = { ...machine.env, GATE_K6: machine.path('mine') };
    const { out, err } = await machine.run('check');
    expect(JSON.parse(out).GATE_K6).toBe(machine.path('bin/k6'));
    expect(err).toBe(
      `note: GATE_K6 (${machine.path('mine')}) is not k6 2.2.0: ${machine.path('bin/k6')} is used instead\n`,
    );
  });

  it('refuses a release with another checksum, keeps nothing and does not build instead', async () => {
    await machine.remove('bin/k6');
    await machine.go('touch "$HOME/go-ran"');
    await machine.publishK6({ checksum: wrongChecksum });
    const { code, err } = await machine.run('check');
    expect(code).toBe(2);
    expect(err).toMatch(
      /^getting k6 2\.2\.0 \.\.\. failed\nerror\[E_TOOL_K6\] .*refused and removed\n {2}next: /,
    );
    expect(await machine.list('cache/k6')).toEqual([]);
    expect(await machine.list('cache/tmp')).toEqual([]);
    expect(await machine.list('home')).not.toContain('go-ran');
  });

  it('refuses a release that is not the version it says', async () => {
    await machine.remove('bin/k6');
    await machine.publishK6({ version: '2.1.0' });
    const { code, err } = await machine.run('check');
    expect(code).toBe(2);
    expect(err).toContain('the k6 that was downloaded does not run as version 2.2.0');
    expect(await machine.list('cache/k6')).toEqual([]);
  });

  it('is built where no release can be downloaded', async () => {
    await machine.remove('bin/k6');
    machine.goOffline();
    await machine.go(buildsK6);
    const { code, err } = await machine.run('check');
    expect(code).toBe(0);
    expect(err).toMatch(
      /no download \(.+\), building from perf\/tools, about 2 min \.\.\. built in \d+ s\n$/,
    );
  });

  it('is built by a newer Go, downloaded once, where the one on PATH is too old', async () => {
    await machine.remove('bin/k6');
    machine.goOffline();
    await machine.go(buildsK6, { path: 'newer/go' });
    await machine.go(
      `echo "$*" >>"$HOME/go-asked"
       case $1 in
         env) echo linux; echo amd64 ;;
         mod) mkdir -p "$GOMODCACHE/$3/bin" "$GOMODCACHE/$3/pkg/tool"
              cp '${machine.path('newer/go')}' "$GOMODCACHE/$3/bin/go"
              chmod -R a-wx,a+X "$GOMODCACHE/golang.org"; chmod a-x "$GOMODCACHE/$3/bin/go" ;;
         *) echo 'flag provided but not defined: -C' >&2; exit 2 ;;
       esac`,
      { version: '1.19.8' },
    );
    const { code, err } = await machine.run('check');
    expect(err).toMatch(/ \.\.\. built in \d+ s\n$/);
    expect(code).toBe(0);
    await machine.remove('cache/k6');
    expect((await machine.run('check')).code).toBe(0);
    expect((await machine.read('home/go-asked')).match(/^mod .*/gm)).toEqual([
      'mod download golang.org/toolchain@v0.0.1-go1.26.8.linux-amd64',
    ]);
  });

  it('says that Go is too old when it cannot download a newer version', async () => {
    await machine.remove('bin/k6');
    machine.goOffline();
    await machine.go('echo "no such host" >&2; exit 1', { version: '1.19.8' });
    const { code, err } = await machine.run('check');
    expect(code).toBe(2);
    expect(err).toMatch(
      / \| no such host\nerror\[E_TOOL_K6\] k6 2\.2\.0: .* is older than 1\.21 and .*\n {2}next: /,
    );
  });

  it('explains itself when it can neither be downloaded nor built', async () => {
    await machine.remove('bin/k6');
    machine.goOffline();
    const without = await machine.run('check');
    expect(without.code).toBe(2);
    expect(without.err).toMatch(
      /error\[E_TOOL_K6\] k6 2\.2\.0: .* Go, which could build it, is not installed either/,
    );
    await machine.go('echo "go.mod: no such module" >&2; exit 1');
    const broken = await machine.run('check');
    expect(broken.code).toBe(2);
    expect(broken.err).toMatch(/ \| go\.mod: no such module\nerror\[E_TOOL_K6\] perf\/tools\/go\.mod: /);
  });
});

describe('Node, npm packages and Maven', () => {
  it('gets the release of Node whose checksum is pinned, once', async () => {
    await machine.publishNode(`${process.platform}-${process.arch}`);
    const first = await machine.run('check');
    expect(first.err).toMatch(/^getting node 24\.21\.0 \.\.\. downloaded in \d+ s\n$/);
    expect(JSON.parse(first.out).PATH).toMatch(/^[^:]*\/cache\/node\/v24\.21\.0\/bin:/);
    machine.goOffline();
    await machine.handedOver('check');
  });

  it('refuses a Node with another checksum, and does not ask npm instead', async () => {
    await machine.publishNode(`${process.platform}-${process.arch}`, { checksum: wrongChecksum });
    await machine.stub('bin/npm', 'touch "$HOME/npm-ran"');
    const { code, err } = await machine.run('report');
    expect(code).toBe(2);
    expect(err).toMatch(/error\[E_TOOL_NODE\] node-v24\.21\.0-.*: its checksum is .*refused and removed/);
    expect(await machine.list('cache/node')).toEqual([]);
    expect(await machine.list('home')).not.toContain('npm-ran');
  });

  it.runIf(process.platform === 'linux')(
    "gets Node from npm's registry where its release cannot be downloaded, by a pinned checksum too",
    async () => {
      const name = `node-linux-${process.arch}-24.21.0.tgz`;
      await machine.stub('bin/node', 'echo v20.19.0');
      await mkdir(machine.path('work/package/bin'), { recursive: true });
      await symlink(process.execPath, machine.path('work/package/bin/node'));
      await machine.stub(
        'bin/npm',
        `[ "$1" = pack ] || exit 9; while [ "$1" != --pack-destination ]; do shift; done; cp '${machine.path(name)}' "$2"`,
      );
      const packed = await machine.pack('package', name);
      const refused = await machine.run('report');
      expect(refused.err).toMatch(/error\[E_TOOL_NODE\] node-linux-\w+-24\.21\.0\.tgz: its checksum is /);
      await machine.pin(name, packed);
      expect((await machine.run('report')).err).toMatch(
        /^getting node 24\.21\.0 \.\.\. downloaded in \d+ s\n$/,
      );
      await machine.remove('bin/npm');
      await machine.handedOver('report');
    },
  );

  it('says so when Node is not installed and neither its release nor npm can be reached', async () => {
    for (const tool of ['node', 'npm']) await machine.remove(`bin/${tool}`);
    const { code, err } = await machine.run('check', '--help');
    expect(code).toBe(2);
    expect(err).toMatch(
      /error\[E_TOOL_NODE\] node >= 24: it is not on PATH and could not be downloaded: .*404.*\n {2}next: install Node >= 24/,
    );
  });

  it('installs the packages again when the lock file has changed', async () => {
    await machine.stub(
      'bin/npm',
      'echo "$1" >>"$HOME/npm-ran"; touch "$TMPDIR/../checkout/action/node_modules/.package-lock.json"',
    );
    await machine.handedOver('check', '--help');
    await machine.write('checkout/action/package-lock.json', '{"other": true}');
    await utimes(
      machine.path('checkout/action/package-lock.json'),
      Date.now() / 1000 + 60,
      Date.now() / 1000 + 60,
    );
    expect((await machine.run('check', '--help')).err).toMatch(
      /^getting npm packages \.\.\. downloaded in \d+ s\n$/,
    );
    await machine.handedOver('check', '--help');
    expect(await machine.read('home/npm-ran')).toBe('ci\n');
  });

  it('asks Maven for its version once, and wants one that is new enough', async () => {
    await machine.handedOver('check');
    await machine.handedOver('check');
    expect(await machine.read('home/mvn-asked')).toBe('asked\n');
    await machine.stub('bin/mvn', 'echo "Apache Maven 3.6.3 (old)"');
    const old = await machine.run('check');
    expect(old.code).toBe(2);
    expect(old.err).toMatch(/^error\[E_TOOL_MVN\] mvn >= 3\.8: .*\/bin\/mvn is version 3\.6\.3\n/);
    await machine.remove('bin/mvn');
    expect((await machine.run('check')).err).toMatch(/^error\[E_TOOL_MVN\] mvn >= 3\.8: it is not on PATH\n/);
  });
});

describe('where downloads come from', () => {
  it('follows no redirect that leaves https', async () => {
    await machine.remove('bin/k6');
    await machine.publishK6();
    machine.redirects.set(`/v2.2.0/${k6Name}`, `${machine.env.PERF_GATE_K6_URL}/elsewhere/${k6Name}`);
    const { code, err } = await machine.run('check');
    expect(code).toBe(2);
    expect(err).toMatch(/could not be downloaded \(.*"?http"? .*(not supported|disabled)/i);
    expect(machine.requests).toEqual([`/v2.2.0/${k6Name}`]);
  });

  it.each(['http://mirror.invalid', 'http://127.0.0.1:80@mirror.invalid'])(
    'asks no mirror without https on another machine: %s',
    async (mirror) => {
      await machine.remove('bin/k6');
      machine.env = { ...machine.env, PERF_GATE_K6_URL: mirror };
      const { code, err } = await machine.run('check');
      expect(code).toBe(2);
      expect(err).toMatch(/could not be downloaded \(.*"?http"? .*(not supported|disabled)/i);
    },
  );

  it("pins the same k6 as the Action's download", async () => {
    const text = await machine.read('checkout/gate');
    const pins = new Map(
      [...text.matchAll(/^([0-9a-f]{64}) {2}(k6-v.*-linux-.*)$/gm)].map(([, sum, name]) => [name, sum]),
    );
    expect(pins).toEqual(knownK6Archives);
    expect(text).toContain(`K6_VERSION=${/k6-v([\d.]+)-/.exec([...knownK6Archives.keys()][0] ?? '')?.[1]} `);
  });
});

describe('the cache', () => {
  it('is made so that only its owner can write to it, whatever the umask says', async () => {
    await machine.remove('bin/k6');
    await machine.publishK6();
    const before = process.umask(0);
    try {
      expect((await machine.run('check')).code).toBe(0);
      expect((await machine.run('check')).code).toBe(0);
    } finally {
      process.umask(before);
    }
    for (const dir of ['cache', 'cache/k6', 'cache/k6/2.2.0']) {
      expect(statSync(machine.path(dir)).mode & 0o777, dir).toBe(0o755);
    }
  });

  it.each([
    ['cache', 0o775],
    ['cache', 0o757],
    ['cache/k6', 0o777],
    ['cache/node', 0o770],
  ])('is refused if others can write to %s (mode %o)', async (dir, mode) => {
    await mkdir(machine.path(dir), { recursive: true });
    await chmod(machine.path(dir), mode);
    for (const command of ['check', 'report', 'doctor', 'env']) {
      const { code, out, err } = await machine.run(command);
      expect({ code, out }, command).toEqual({ code: 2, out: '' });
      expect(err).toBe(
        `error[E_CACHE_SHARED] ${machine.path(dir)}: other users own this folder or can write to it, so they could replace the tools that the gate runs\n  next: run chmod go-w '${machine.path(dir)}' if it is yours, or set PERF_GATE_CACHE to a folder that only you can write to\n`,
      );
    }
    expect((await machine.run('help')).code).toBe(0);
  });

  it.runIf(process.getuid?.() === 0)('is refused if another user owns it', async () => {
    await mkdir(machine.path('cache/jdk'), { recursive: true });
    await chown(machine.path('cache/jdk'), 65534, 65534);
    const { code, err } = await machine.run('check');
    expect(code).toBe(2);
    expect(err).toContain(`error[E_CACHE_SHARED] ${machine.path('cache/jdk')}: `);
  });

  it('may be a link to a folder elsewhere', async () => {
    await mkdir(machine.path('elsewhere'));
    await symlink(machine.path('elsewhere'), machine.path('cache'));
    await machine.handedOver('check');
  });

  it('has no place without a home, rather than one that all users share', async () => {
    const { HOME: _, PERF_GATE_CACHE: __, ...env } = machine.env;
    machine.env = env;
    const { code, err } = await machine.run('check');
    expect(code).toBe(2);
    expect(err).toBe(
      'error[E_CACHE] HOME: it is not set, so the cache has no place\n  next: set HOME or PERF_GATE_CACHE\n',
    );
  });
});

describe.each([
  ['Darwin', 'arm64', 'darwin-arm64'],
  ['Darwin', 'x86_64', 'darwin-x64'],
  ['Linux', 'aarch64', 'linux-arm64'],
])('on %s %s', (system, processor, nodePlatform) => {
  beforeEach(() => machine.pretend(system, processor));

  it("gets this platform's Node for what measures nothing, and neither k6, a JDK nor Maven", async () => {
    for (const tool of ['bin/k6', 'bin/mvn', 'jdks/right']) await machine.remove(tool);
    await machine.publishNode(nodePlatform);
    expect((await machine.run('init', '../shop')).err).toMatch(
      /^getting node 24\.21\.0 \.\.\. downloaded in \d+ s\n$/,
    );
    expect(machine.requests).toEqual([`/v24.21.0/node-v24.21.0-${nodePlatform}.tar.gz`]);
    for (const args of [
      ['report'],
      ['compare', 'a', 'b'],
      ['baseline', 'list'],
      ['check', '--help'],
      ['bench', 'detection'],
      ['calibrate', '--from', 'rows'],
      ['down'],
    ]) {
      expect((await machine.handedOver(...args)).args).toEqual(args);
    }
  });

  it('refuses to measure, and says where it can be done', async () => {
    for (const args of [
      ['check'],
      ['baseline'],
      ['baseline', '--suite', 'pr'],
      ['bench'],
      ['calibrate'],
      ['up'],
    ]) {
      const { code, out, err } = await machine.run(...args);
      expect({ code, out }, args.join(' ')).toEqual({ code: 2, out: '' });
      expect(err).toBe(
        `error[E_PLATFORM] gate ${args[0]} on ${system} ${processor}: measuring needs Linux on x86-64, because the gate reads /proc and its servers are built for x86-64; other commands run here\n  next: use CI or a container for linux/amd64: .github/docs/init.md\n`,
      );
    }
    expect(machine.requests).toEqual([]);
  });

  it('misses nothing that only measuring needs', async () => {
    for (const tool of ['bin/k6', 'bin/mvn', 'jdks/right']) await machine.remove(tool);
    await machine.stub('bin/npm', 'echo 11.1.0');
    await machine.stub('bin/git', 'echo git version 2.47.0');
    const { code, out } = await machine.run('doctor');
    expect(out).toMatch(/^measure +no +no +needs Linux on x86-64/m);
    expect(out).not.toMatch(/^(k6|mvn|jdk) /m);
    expect(out).toMatch(/nothing is missing\n$/);
    expect(code).toBe(0);
  });
});

describe('several launchers at once, and signals', () => {
  it('lets one of two launchers install a tool while the other waits', async () => {
    await machine.remove('bin/k6');
    await machine.publishK6();
    const { promise, resolve } = Promise.withResolvers<void>();
    machine.ready = promise;
    const launched = [machine.launch('check'), machine.launch('check')];
    const waiting = /waiting for another gate \(process \d+\)/;
    await eventually(() => launched.some(({ complained }) => waiting.test(complained())));
    resolve();
    const results = await Promise.all(launched.map(({ ended }) => ended));
    expect(results.map(({ code }) => code)).toEqual([0, 0]);
    expect(machine.requests).toHaveLength(1);
  });

  it('takes over the lock of a killed launcher, and removes what it left', async () => {
    await machine.remove('bin/k6');
    await machine.publishK6();
    const { pid } = await machine.run('help');
    await mkdir(machine.path('cache/locks'), { recursive: true });
    await symlink(String(pid), machine.path('cache/locks/k6'));
    await machine.write('cache/tmp/k6/half', 'an archive');
    expect((await machine.run('check')).code).toBe(0);
    expect(await machine.list('cache/tmp')).toEqual([]);
    expect(await machine.list('cache/locks')).toEqual([]);
  });

  it('takes over a lock that names its own process, as one of a former container may', async () => {
    await machine.remove('bin/k6');
    await machine.publishK6();
    await mkdir(machine.path('cache/locks'), { recursive: true });
    await rename(machine.path('checkout/gate'), machine.path('checkout/launcher'));
    const replaced = 'ln -s "$$" "$PERF_GATE_CACHE/locks/k6"; exec "${0%/*}/launcher" "$@"';
    await machine.stub('checkout/gate', replaced);
    // A launcher that waits is ended at once.
    await machine.stub('bin/sleep', 'kill "$PPID"');
    const { code, err } = await machine.run('check');
    expect(code, err).toBe(0);
    expect(err).not.toContain('waiting');
    expect(await machine.list('cache/locks')).toEqual([]);
  });

  it('ends together with its child, and leaves no lock, when it is terminated', async () => {
    await machine.remove('bin/k6');
    machine.goOffline();
    await machine.go('echo $$ >"$HOME/written"; mv "$HOME/written" "$HOME/go-pid"; exec sleep 60');
    const started = machine.launch('check');
    await eventually(async () => (await machine.list('home')).includes('go-pid'));
    started.terminate();
    const { code, err } = await started.ended;
    expect(code).toBe(143);
    expect(err).toMatch(/ \.\.\. stopped\n$/);
    const goPid = Number(await machine.read('home/go-pid'));
    expect(() => process.kill(goPid, 0)).toThrow('ESRCH');
    expect(await machine.list('cache/locks')).toEqual([]);
    expect(await machine.list('cache/tmp')).toEqual([]);
  });
});

describe('doctor', () => {
  it('exits with 0 where nothing is missing', async () => {
    await machine.stub('bin/npm', 'echo 11.1.0');
    await machine.stub('bin/git', 'echo git version 2.47.0');
    const { code, out } = await machine.run('doctor');
    expect(out).toMatch(/^git +any +2\.47\.0 +.*\/bin\/git$/m);
    expect(out).toMatch(/^docker +optional +no +only needed for --stack compose$/m);
    expect(out).toMatch(/^jdk +25 +25\.0\.3 +.*\/jdks\/right$/m);
    expect(out).toMatch(/^cores +\d+/m);
    expect(out).toMatch(/nothing is missing\n$/);
    expect(code).toBe(0);
  });

  it('says what is missing and what to do, and installs nothing', async () => {
    await machine.publishK6();
    for (const tool of ['bin/k6', 'bin/mvn', 'jdks/right']) await machine.remove(tool);
    await machine.stub('bin/npm', 'echo 11.1.0');
    const { code, out } = await machine.run('doctor');
    expect(code).toBe(2);
    expect(out).toMatch(/^git +any +MISSING +install it/m);
    expect(out).toMatch(/^k6 +2\.2\.0 +MISSING +\.\/gate check installs it/m);
    expect(out).toMatch(/^mvn +>= 3\.8 +MISSING +install Maven/m);
    expect(out).toMatch(/^jdk +25 +MISSING +\.\/gate check installs it/m);
    expect(machine.requests).toEqual([]);
    expect(await machine.list('cache')).toEqual([]);
  });
});

describe('test', () => {
  const suite = (failures: number) =>
    `for last; do :; done; mkdir -p "\${last%/*}"
     echo '<testsuites tests="5" failures="${failures}"><testsuite name="a > b" tests="5" failures="${failures}" errors="0" skipped="1"/></testsuites>' >"$last"
     exit ${failures}`;

  it('counts tests by their reports and ends with the sum', async () => {
    await machine.stub('bin/npm', suite(0));
    const { code, out } = await machine.run('test', '--only', 'unit');
    expect(out).toMatch(/^== unit\n== unit: ok, \d+ s\n4 passed, 0 failed\n$/);
    expect(code).toBe(0);
    expect(await machine.list('tmp')).toEqual([]);
  });

  it('stops at the first step that fails, and names it', async () => {
    for (const tool of ['shellcheck', 'zizmor', 'actionlint']) await machine.stub(`bin/${tool}`, 'exit 0');
    await machine.stub('bin/npm', 'case $* in *types*) echo "TS2322"; exit 1 ;; esac');
    const { code, out } = await machine.run('test', '--only', 'lint');
    expect(out).toMatch(/== lint: ok, \d+ s\n== types\nTS2322\n== types: FAILED, exit 1, \d+ s; /);
    expect(out).toMatch(/\n2 passed, 1 failed\n$/);
    expect(out).not.toContain('== deps');
    expect(code).toBe(1);
  });

  it('stops a step in the background when one in front fails', async () => {
    await machine.stub(
      'bin/mvn',
      `case $* in
         *db/pom.xml*) sleep 1; touch "$HOME/db-built" ;;
         *app/pom.xml*) [ -e "$HOME/db-built" ] && echo $$ >"$HOME/app-pid" && exec sleep 60 ;;
         *) echo "Apache Maven 3.9.11" ;;
       esac`,
    );
    await machine.write('checkout/app/pom.xml', '<mysql-image.version>9.9</mysql-image.version>');
    await machine.stub(
      'bin/npm',
      'case $* in *saturating*) ;; *real*) until [ -s "$HOME/app-pid" ]; do sleep 0.05; done; exit 1 ;; esac',
    );
    for (const tool of ['shellcheck', 'zizmor', 'actionlint', 'act'])
      await machine.stub(`bin/${tool}`, 'exit 0');
    const { code, out } = await machine.run('test');
    expect(out).toMatch(/== real: FAILED, exit 1, /);
    expect(out).toMatch(/== app: stopped after /);
    expect(code).toBe(1);
    const pid = Number(await machine.read('home/app-pid'));
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it('ends together with its step when it is terminated', async () => {
    await machine.stub(
      'bin/npm',
      'echo $$ >"$HOME/written"; mv "$HOME/written" "$HOME/npm-pid"; exec sleep 60',
    );
    const started = machine.launch('test', '--only', 'unit');
    await eventually(async () => (await machine.list('home')).includes('npm-pid'));
    started.terminate();
    const { code, out } = await started.ended;
    expect(out).toMatch(/^== unit\n== unit: stopped after \d+ s\n$/);
    expect(code).toBe(143);
    const pid = Number(await machine.read('home/npm-pid'));
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect(await machine.list('tmp')).toEqual([]);
  });

  it('skips what needs a tool that the machine lacks, and says so', async () => {
    await machine.stub('bin/npm', 'exit 0');
    const { code, out } = await machine.run('test', '--only', 'lint');
    expect(out).toMatch(/\n== shellcheck: skipped, it is not on PATH and pip did not install it, \d+ s\n/);
    expect(out).toContain('\n== zizmor: skipped, ');
    expect(out).toContain('\n== actionlint: skipped, ');
    expect(out).toMatch(/\n6 passed, 0 failed\n$/);
    expect(code).toBe(0);
  });

  it('fails without such a tool where --tools demands it, and passes the demand on to the tests', async () => {
    await machine.stub('bin/npm', `echo "tools: $GATE_TOOLS"; ${suite(0)}`);
    const { code, out } = await machine.run('test', '--only', 'prose', '--tools');
    expect(out).toMatch(
      /\n== prose: FAILED, it is not on PATH and Go did not install it, \d+ s; the steps after it did not run\n0 passed, 1 failed\n$/,
    );
    expect(code).toBe(1);
    expect((await machine.run('test', '--only=unit', '--tools')).out).toContain('tools: required\n');
    expect((await machine.run('test', '--only=unit')).out).toContain('tools: optional\n');
  });

  it('makes the images first where --containers demands them, and passes the demand on to the tests', async () => {
    await machine.write('checkout/app/pom.xml', '<mysql-image.version>9.9</mysql-image.version>');
    await machine.stub('checkout/.ci/images', 'echo "images made with ${JAVA_HOME##*/}"');
    await machine.stub('bin/npm', `echo "containers: $GATE_CONTAINERS"; ${suite(0)}`);
    for (const tool of ['zizmor', 'actionlint', 'act']) await machine.stub(`bin/${tool}`, 'exit 0');
    const { code, out } = await machine.run('test', '--only', 'real', '--containers');
    expect(out).toMatch(
      /== images\nimages made with right\n== images: ok, \d+ s\n== real\ncontainers: required\n/,
    );
    expect(code).toBe(0);
    expect((await machine.run('test', '--only=unit')).out).toContain('containers: \n');
  });

  it("builds the servers before the service's tests, which run on them", async () => {
    await machine.stub('bin/mvn', 'case $1 in -v) echo "Apache Maven 3.9.11" ;; *) echo "mvn $*" ;; esac');
    const { code, out } = await machine.run('test', '--only', 'app');
    expect(out).toMatch(
      /== servers\nmvn .*db\/pom\.xml -DskipTests package\n== servers: ok, \d+ s\n== app\nmvn .*app\/pom\.xml verify\n/,
    );
    expect(code).toBe(0);
  });

  it('runs the service on MySQL too where an engine has it, and says so where none does', async () => {
    await machine.write('checkout/app/pom.xml', '<mysql-image.version>9.9</mysql-image.version>');
    await machine.stub(
      'bin/mvn',
      'case $1 in -v) echo "Apache Maven 3.9.11" ;; *) echo "mvn ${*##*/}" ;; esac',
    );
    const without = await machine.run('test', '--only', 'mysql');
    expect(without.out).toMatch(
      /== mysql: skipped, no container engine here has mysql:9\.9 or can pull it, \d+ s\n1 passed, 0 failed\n$/,
    );
    await machine.stub('bin/docker', 'case $* in "image inspect mysql:9.9") ;; *) exit 1 ;; esac');
    const { code, out } = await machine.run('test', '--only', 'mysql');
    expect(out).toMatch(
      /== mysql\nmvn pom\.xml test -Ddatabase=mysql -Dgroups=database -DexcludedGroups=redis\n== mysql: ok, no tests reported/,
    );
    expect(code).toBe(0);
  });

  it('refuses an option that it does not know', async () => {
    const { code, err } = await machine.run('test', '--container');
    expect(code).toBe(2);
    expect(err).toContain("Unknown option '--container'");
  });

  it('refuses a part that it does not know', async () => {
    const { code, err } = await machine.run('test', '--only', 'unti');
    expect(code).toBe(2);
    expect(err).toContain("there is no part 'unti'; the parts are lint, prose, unit,");
  });
});
