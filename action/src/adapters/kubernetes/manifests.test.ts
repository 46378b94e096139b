import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { Fault } from '../../model/fault.ts';
import { runnerArguments } from '../k6/archive.ts';
import { generatorManifests, type KubernetesLoad, kubernetesCommands, resultFolder } from './manifests.ts';
import { testRunName, testRunNameOf } from './test-run-name.ts';
import { requireClusterAddress, variablesOf } from './variables.ts';

const load: KubernetesLoad = {
  plan: { name: 'gate-demo', generators: 4, guardSeconds: 10, countedSeconds: 60 },
  archive: Buffer.from('a tar file'),
  variables: variablesOf(
    { BASE_URL: 'http://shop.default.svc:8080', PRICE: '$5 in $(CURRENCY)' },
    [{ variable: 'LOGIN_PASSWORD', name: 'shop', key: 'password' }],
    'GATE_GENERATOR',
  ),
  arguments: runnerArguments(resultFolder),
  image: 'grafana/k6:2.2.0',
  separate: true,
};

const objectsOf = (given: KubernetesLoad) =>
  parseAllDocuments(generatorManifests(given)).map((document) => document.toJS());
const faultOf = (work: () => unknown): Fault['details'] => {
  try {
    work();
  } catch (error) {
    if (error instanceof Fault) return error.details;
    throw error;
  }
  throw new Error('expected a fault');
};

describe('the manifests of a load', () => {
  it('are a claim, the script, a TestRun and a pod that reads the results', async () => {
    // These were applied to a real API server with k6-operator's own CRD (.github/docs/generators.md).
    await expect(generatorManifests(load)).toMatchFileSnapshot(
      '../../../test/golden/generator/manifests.yaml',
    );
  });

  it('take the claim and the namespace that somebody names', () => {
    const objects = objectsOf({ ...load, claim: 'shared', namespace: 'load' });
    expect(objects.map(({ kind }) => kind)).toEqual(['ConfigMap', 'TestRun', 'Pod']);
    for (const { metadata } of objects) expect(metadata.namespace).toBe('load');
    const [, testRun, pod] = objects;
    const volume = { name: 'results', persistentVolumeClaim: { claimName: 'shared' } };
    expect(testRun.spec.runner.volumes).toEqual([volume]);
    expect(pod.spec.volumes).toEqual([volume]);
  });

  it('hold an archive of 1 MiB and no larger one', () => {
    const [, configMap] = objectsOf({ ...load, archive: Buffer.alloc(1 << 20) });
    expect(Buffer.from(configMap.binaryData['archive.tar'], 'base64')).toHaveLength(1 << 20);
    const fault = faultOf(() => generatorManifests({ ...load, archive: Buffer.alloc((1 << 20) + 1) }));
    expect(fault).toMatchObject({ code: 'E_ARCHIVE_SIZE', kind: 'usage' });
    expect(fault.cause).toContain('1048577 bytes');
  });

  it('come with the commands to type, in order', () => {
    const files = { folder: 'out', manifests: 'out/manifests.yaml', collect: './gate generator collect out' };
    expect(kubernetesCommands({ ...load, namespace: 'load' }, files)).toEqual([
      'kubectl -n load apply --server-side -f out/manifests.yaml',
      "kubectl -n load wait testrun/gate-demo --for=jsonpath='{.status.stage}'=finished --timeout=670s",
      'kubectl -n load get pods -l k6_cr=gate-demo,runner=true -o json > out/pods.json',
      'kubectl -n load cp gate-demo-reader:/results out/results',
      './gate generator collect out',
      'kubectl -n load delete -f out/manifests.yaml',
    ]);
  });
});

describe('the name of a TestRun', () => {
  it.each(['a', 'gate-demo', 'gate-2', `g${'o'.repeat(49)}`])('may be %s', (name) => {
    expect(testRunName(name)).toBe(name);
  });

  it.each([
    ['', 'the TestRun has no name'],
    ['2-gates', 'the operator cannot name its jobs and services after "2-gates"'],
    ['Gate', 'the operator cannot name its jobs and services after "Gate"'],
    ['gate-', 'the operator cannot name its jobs and services after "gate-"'],
    ['gate.demo', 'the operator cannot name its jobs and services after "gate.demo"'],
    [`g${'o'.repeat(50)}`, `the operator cannot name its jobs and services after "g${'o'.repeat(50)}"`],
  ])('may not be %j', (name, cause) => {
    expect(faultOf(() => testRunName(name))).toMatchObject({ code: 'E_TESTRUN_NAME', cause });
  });

  it('comes from the cell, whatever its characters', () => {
    expect(testRunNameOf('browse@peak', '4f1c2a')).toBe('gate-browse-peak-4f1c2a');
    expect(testRunNameOf('Trip.Browse_2@PEAK', '4f1c2a')).toBe('gate-trip-browse-2-peak-4f1c2a');
    expect(testRunNameOf(`${'long'.repeat(16)}@peak`, '4f1c2a')).toHaveLength(48);
  });
});

describe('variables', () => {
  const plain = (env: Readonly<Record<string, string>>) => variablesOf(env, [], 'GATE_GENERATOR');

  it('that look like a secret do not get into the manifests', () => {
    const fault = faultOf(() => plain({ LOGIN_PASSWORD: 'correct horse' }));
    expect(fault).toMatchObject({ code: 'E_SECRET_PLAIN', place: 'env.LOGIN_PASSWORD' });
    expect(fault.nextStep).toContain('--secret LOGIN_PASSWORD=NAME/KEY');
    expect(JSON.stringify(fault)).not.toContain('correct horse');
  });

  it('that k6 would take for options are refused', () => {
    expect(faultOf(() => plain({ K6_VUS: '3' }))).toMatchObject({
      code: 'E_VARIABLE_K6',
      place: 'env.K6_VUS',
    });
  });
});

describe('the address of the service', () => {
  it.each(['http://127.0.0.1:8080', 'http://localhost:8080', 'http://[::1]:8080', 'http://0.0.0.0:8080'])(
    'is not %s, which is the pod itself',
    (url) => {
      expect(faultOf(() => requireClusterAddress(url, []))).toMatchObject({ code: 'E_TARGET_LOOPBACK' });
    },
  );

  it('is one that allowTargets lists', () => {
    for (const host of ['shop.default.svc', 'localhost-shop.default.svc', '127.example.com']) {
      requireClusterAddress(`http://${host}:8080`, [host]);
    }
    expect(faultOf(() => requireClusterAddress('http://shop.example', ['shop.default.svc']))).toMatchObject({
      code: 'E_TARGET_FOREIGN',
      place: '--url http://shop.example',
    });
  });
});
