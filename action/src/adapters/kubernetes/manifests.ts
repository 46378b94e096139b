import { stringify } from 'yaml';
import { Fault } from '../../model/fault.ts';
import type { SharedLoadPlan } from '../../model/shared-load.ts';
import { podsFile } from './pods.ts';
import type { PodVariable } from './variables.ts';

/** What the manifests of one load need. The fields of a TestRun are those of k6-operator 1.0 and later. */
export interface KubernetesLoad {
  readonly plan: Pick<SharedLoadPlan, 'name' | 'generators' | 'guardSeconds' | 'countedSeconds'>;
  /** The load as `k6 run` takes it. */
  readonly archive: Buffer;
  readonly variables: readonly PodVariable[];
  /** Options of `k6 run`, without spaces or quotes, because the operator splits them at spaces. */
  readonly arguments: readonly string[];
  /** Image with k6 and a shell. */
  readonly image: string;
  /** Namespace; undefined for the one that kubectl uses. */
  readonly namespace?: string | undefined;
  /** PersistentVolumeClaim for the results; undefined for one of their own. */
  readonly claim?: string | undefined;
  /** Whether no two generators may share a node. */
  readonly separate: boolean;
}

/** Where the generators write, each a file with its own name. */
export const resultFolder = '/results';
/** The API server refuses a ConfigMap with more data. */
const mostConfigMapBytes = 1 << 20;
const archiveName = 'archive.tar';
/** The user and group `k6` of the image, which have to write into the volume. */
const k6Group = 12_345;
const volume = 'results';

/** The objects of one load, as one YAML file: a claim for results, the script, the TestRun, and a pod to read results from. */
export function generatorManifests(load: KubernetesLoad): string {
  const { plan, archive, namespace, claim } = load;
  if (archive.length > mostConfigMapBytes) {
    throw new Fault({
      code: 'E_ARCHIVE_SIZE',
      kind: 'usage',
      place: archiveName,
      cause: `the script and its files have ${archive.length} bytes, and a ConfigMap holds at most ${mostConfigMapBytes}`,
      nextStep: 'let the script open smaller files',
    });
  }
  const object = (apiVersion: string, kind: string, name: string, content: object) => ({
    apiVersion,
    kind,
    metadata: { name, ...(namespace !== undefined && { namespace }) },
    ...content,
  });
  const objects = [
    ...(claim === undefined
      ? [
          object('v1', 'PersistentVolumeClaim', resultsOf(plan.name), {
            // Generators on several nodes write into it at once.
            spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '10Gi' } } },
          }),
        ]
      : []),
    object('v1', 'ConfigMap', plan.name, { binaryData: { [archiveName]: archive.toString('base64') } }),
    object('k6.io/v1alpha1', 'TestRun', plan.name, { spec: testRun(load) }),
    object('v1', 'Pod', readerOf(plan.name), { spec: reader(load) }),
  ];
  return objects.map((one) => stringify(one, { lineWidth: 0 })).join('---\n');
}

function testRun({ plan, variables, arguments: options, separate, image, ...rest }: KubernetesLoad): object {
  return {
    parallelism: plan.generators,
    ...(separate && { separate: true }),
    script: { configMap: { name: plan.name, file: archiveName } },
    arguments: options.join(' '),
    // Without `cleanup`, because the pods say how their generators ended.
    runner: {
      image,
      // Here the operator takes text.
      automountServiceAccountToken: 'false',
      securityContext: { fsGroup: k6Group },
      env: variables,
      ...storage({ plan, ...rest }),
    },
  };
}

/** Reads the volume after the generators have ended: `kubectl cp` needs a container that runs, with tar in it. */
function reader({ image, ...load }: KubernetesLoad): object {
  const { volumes, volumeMounts } = storage(load);
  return {
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    securityContext: { fsGroup: k6Group },
    containers: [{ name: 'reader', image, command: ['tail', '-f', '/dev/null'], volumeMounts }],
    volumes,
  };
}

function storage({ plan, claim }: Pick<KubernetesLoad, 'plan' | 'claim'>) {
  return {
    volumes: [{ name: volume, persistentVolumeClaim: { claimName: claim ?? resultsOf(plan.name) } }],
    volumeMounts: [{ name: volume, mountPath: resultFolder }],
  };
}

/** Seconds for pulling images and starting pods. */
const startSeconds = 600;

/** What to type, in this order, to run the load, to collect its results into the folder, and to clean up. */
export function kubernetesCommands(
  { plan, namespace }: Pick<KubernetesLoad, 'plan' | 'namespace'>,
  files: { readonly folder: string; readonly manifests: string; readonly collect: string },
): readonly string[] {
  const { name, guardSeconds, countedSeconds } = plan;
  const kubectl = `kubectl${namespace === undefined ? '' : ` -n ${namespace}`}`;
  const seconds = Math.ceil(guardSeconds + countedSeconds) + startSeconds;
  return [
    // On the client's side, kubectl would copy the script into an annotation, which holds 256 KiB.
    `${kubectl} apply --server-side -f ${files.manifests}`,
    `${kubectl} wait testrun/${name} --for=jsonpath='{.status.stage}'=finished --timeout=${seconds}s`,
    `${kubectl} get pods -l k6_cr=${name},runner=true -o json > ${files.folder}/${podsFile}`,
    `${kubectl} cp ${readerOf(name)}:${resultFolder} ${files.folder}${resultFolder}`,
    files.collect,
    `${kubectl} delete -f ${files.manifests}`,
  ];
}

function resultsOf(name: string): string {
  return `${name}-results`;
}

function readerOf(name: string): string {
  return `${name}-reader`;
}
