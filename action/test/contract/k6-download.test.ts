import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { arch } from 'node:os';
import { join } from 'node:path';
import { createFixture, type FsFixture } from 'fs-fixture';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { downloadK6 } from '../../src/adapters/k6-download.ts';

const version = '2.2.0';
const name = `k6-v${version}-linux-${arch() === 'arm64' ? 'arm64' : 'amd64'}`;

let files: FsFixture;
let server: Server;
let requests: string[];
let release: Map<string, Buffer>;
let url: string;
let sha256: string;

beforeEach(async () => {
  files = await createFixture({ [name]: { k6: '#!/bin/sh\necho k6\n' }, temp: {}, tools: {} });
  execFileSync('tar', ['-czf', join(files.path, 'k6.tar.gz'), '-C', files.path, name]);
  const archive = await readFile(join(files.path, 'k6.tar.gz'));
  sha256 = createHash('sha256').update(archive).digest('hex');
  release = new Map([
    [`/v${version}/${name}.tar.gz`, archive],
    [
      `/v${version}/k6-v${version}-checksums.txt`,
      Buffer.from(`${'0'.repeat(64)}  other.tar.gz\n${sha256}  ${name}.tar.gz\n`),
    ],
  ]);
  requests = [];
  server = createServer((request, response) => {
    requests.push(request.url ?? '');
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
  await new Promise((resolve) => server.close(resolve));
  await files.rm();
});

describe('k6 from its release page', () => {
  it('is checked against the release, and comes from the tool cache the second time', async () => {
    const binary = await downloadK6({ version, sha256: undefined, url });
    expect(await readFile(binary, 'utf8')).toContain('echo k6');
    expect(requests).toHaveLength(2);
    expect(await downloadK6({ version, sha256: undefined, url })).toBe(binary);
    expect(requests).toHaveLength(2);
  });

  it('is checked against the checksum that was given, and nothing else', async () => {
    await downloadK6({ version, sha256, url });
    expect(requests).toEqual([`/v${version}/${name}.tar.gz`]);
  });

  it.each([
    [
      'a wrong checksum in the release',
      () => release.set(`/v${version}/${name}.tar.gz`, Buffer.from('other')),
      undefined,
      'E_K6_CHECKSUM',
    ],
    ['another checksum than was given', () => undefined, '1'.repeat(64), 'E_K6_CHECKSUM'],
    [
      'no checksum in the release',
      () => release.set(`/v${version}/k6-v${version}-checksums.txt`, Buffer.from('')),
      undefined,
      'E_K6_DOWNLOAD',
    ],
    ['no such release', () => release.clear(), undefined, 'E_K6_DOWNLOAD'],
  ])('is refused with %s, and not kept', async (_, arrange, given, code) => {
    arrange();
    await expect(downloadK6({ version, sha256: given, url })).rejects.toMatchObject({ details: { code } });
    await expect(access(join(files.path, 'tools/k6'))).rejects.toThrow('ENOENT');
  });
});
