import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { arch } from 'node:os';
import { join } from 'node:path';
import { createFixture, type FsFixture } from 'fs-fixture';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { downloadK6, type K6Download, knownK6Archives } from '../../src/adapters/k6/download.ts';

/** The gate knows no checksum of this version. */
const version = '9.9.9';
const nameOf = (k6: string, cpu: string = arch()) => `k6-v${k6}-linux-${cpu === 'arm64' ? 'arm64' : 'amd64'}`;
const name = nameOf(version);

let files: FsFixture;
let server: Server;
let requests: string[];
let release: Map<string, Buffer>;
let url: string;
let sha256: string;
/** If true, the server accepts requests and never answers. */
let silent: boolean;

beforeEach(async () => {
  files = await createFixture({ [name]: { k6: '#!/bin/sh\necho k6\n' }, temp: {}, tools: {} });
  execFileSync('tar', ['-czf', join(files.path, 'k6.tar.gz'), '-C', files.path, name]);
  const archive = await readFile(join(files.path, 'k6.tar.gz'));
  sha256 = createHash('sha256').update(archive).digest('hex');
  release = new Map([
    [`/v${version}/${name}.tar.gz`, archive],
    [`/v${version}/k6-v${version}-checksums.txt`, Buffer.from(`${sha256}  ${name}.tar.gz\n`)],
  ]);
  requests = [];
  silent = false;
  server = createServer((request, response) => {
    requests.push(request.url ?? '');
    if (silent) return;
    const content = release.get(request.url ?? '');
    response.writeHead(content === undefined ? 404 : 200).end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  vi.stubEnv('RUNNER_TEMP', join(files.path, 'temp'));
  vi.stubEnv('RUNNER_TOOL_CACHE', join(files.path, 'tools'));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await files.rm();
});

const get = (more: Partial<K6Download> = {}) =>
  downloadK6({ version, sha256, url, signal: new AbortController().signal, ...more });

describe('k6 from its release page', () => {
  it('is checked against the given checksum, and comes from the tool cache afterwards', async () => {
    const binary = await get();
    expect(await readFile(binary, 'utf8')).toContain('echo k6');
    expect(requests).toEqual([`/v${version}/${name}.tar.gz`]);
    expect(await get()).toBe(binary);
    expect(requests).toHaveLength(1);
  });

  it('is not downloaded without a checksum, whatever the release lists', async () => {
    await expect(get({ sha256: undefined })).rejects.toMatchObject({
      details: { code: 'E_K6_UNPINNED', kind: 'usage' },
    });
    expect(requests).toEqual([]);
  });

  it('must match the known checksum of the default version, whatever the release lists', async () => {
    const { inputs } = parse(await readFile(join(import.meta.dirname, '../../action.yml'), 'utf8')) as {
      readonly inputs: Readonly<Record<string, { readonly default: string }>>;
    };
    const usual = inputs['k6-version']?.default ?? '';
    for (const cpu of ['x64', 'arm64'])
      expect([...knownK6Archives.keys()]).toContain(`${nameOf(usual, cpu)}.tar.gz`);
    const path = `/v${usual}/${nameOf(usual)}.tar.gz`;
    release.set(path, release.get(`/v${version}/${name}.tar.gz`) ?? Buffer.from(''));
    release.set(`/v${usual}/k6-v${usual}-checksums.txt`, Buffer.from(`${sha256}  ${nameOf(usual)}.tar.gz\n`));
    await expect(get({ version: usual, sha256: undefined })).rejects.toMatchObject({
      details: { code: 'E_K6_CHECKSUM' },
    });
    expect(requests).toEqual([path]);
    await expect(access(join(files.path, 'tools/k6'))).rejects.toThrow('ENOENT');
  });

  it('is not taken from an incomplete tool cache', async () => {
    const half = join(files.path, 'tools/k6', version, arch());
    await mkdir(half, { recursive: true });
    await writeFile(join(half, 'k6'), '#!/bin/sh\nec');
    const binary = await get();
    expect(await readFile(binary, 'utf8')).toContain('echo k6');
    expect(requests).toHaveLength(1);
  });

  it('stops as soon as the job is cancelled, even before the first request', async () => {
    const cancelled = new AbortController();
    const reason = new Error('cancelled');
    silent = true;
    const ended = expect(get({ signal: cancelled.signal })).rejects.toBe(reason);
    await expect.poll(() => requests).not.toEqual([]);
    cancelled.abort(reason);
    await ended;
    await expect(get({ signal: cancelled.signal })).rejects.toBe(reason);
    expect(requests).toHaveLength(1);
    await expect(access(join(files.path, 'tools/k6'))).rejects.toThrow('ENOENT');
  });

  it.each([
    [
      'other content',
      () => release.set(`/v${version}/${name}.tar.gz`, Buffer.from('other')),
      'E_K6_CHECKSUM',
    ],
    ['no such release', () => release.clear(), 'E_K6_DOWNLOAD'],
  ])('is refused with %s and not cached', async (_, arrange, code) => {
    arrange();
    await expect(get()).rejects.toMatchObject({ details: { code } });
    await expect(access(join(files.path, 'tools/k6'))).rejects.toThrow('ENOENT');
  });
});
