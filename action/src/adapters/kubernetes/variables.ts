import { isLoopback, refuseForeignTarget } from '../../measure/index.ts';
import { Fault } from '../../model/fault.ts';
import { secretVariablesIn } from '../host/index.ts';

/** A variable whose value the cluster knows, and the manifests do not. */
export interface SecretVariable {
  readonly variable: string;
  /** The Secret and its key. */
  readonly name: string;
  readonly key: string;
}

/** An entry of `env`. */
export type PodVariable =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly valueFrom: Readonly<Record<string, object>> };

/** Refuses an address that nobody named on purpose, or that means another machine in each pod. */
export function requireClusterAddress(url: string, allowed: readonly string[]): void {
  const place = `--url ${url}`;
  const host = URL.parse(url)?.hostname ?? '';
  if (isLoopback(host) || host === '0.0.0.0') {
    throw new Fault({
      code: 'E_TARGET_LOOPBACK',
      kind: 'usage',
      place,
      cause: 'in a pod, this address is the generator itself and not the service',
      nextStep: 'give the address of the service in the cluster, such as http://shop.default.svc:8080',
    });
  }
  refuseForeignTarget(url, allowed, place);
}

/**
 * The variables of the script as a pod's. `generatorVariable` gets the name of the generator: that of the job that runs it.
 */
export function variablesOf(
  env: Readonly<Record<string, string>>,
  secrets: readonly SecretVariable[],
  generatorVariable: string,
): readonly PodVariable[] {
  const secret = new Set(secrets.map(({ variable }) => variable));
  const plain = Object.entries(env).filter(([name]) => !secret.has(name));
  const names = [...plain.map(([name]) => name), ...secret];
  const ofK6 = names.find((name) => name.startsWith('K6_'));
  if (ofK6 !== undefined) {
    throw new Fault({
      code: 'E_VARIABLE_K6',
      kind: 'usage',
      place: `env.${ofK6}`,
      cause: 'k6 takes variables of its pod that begin with K6_ as options, so it would change the load',
      nextStep: 'give the variable another name in gate.yml and in the script',
    });
  }
  const [readable] = secretVariablesIn(Object.fromEntries(plain));
  if (readable !== undefined) {
    throw new Fault({
      code: 'E_SECRET_PLAIN',
      kind: 'usage',
      place: `env.${readable}`,
      cause: 'it looks like a secret, and everybody who reads the manifests could read it',
      nextStep: `store it as a Secret in the cluster, and add --secret ${readable}=NAME/KEY`,
    });
  }
  return [
    { name: generatorVariable, valueFrom: { fieldRef: { fieldPath: "metadata.labels['job-name']" } } },
    // In a value, Kubernetes replaces $(NAME) and takes $$ for a dollar sign.
    ...plain.map(([name, value]) => ({ name, value: value.replaceAll('$', '$$$$') })),
    ...secrets.map(({ variable, name, key }) => ({
      name: variable,
      valueFrom: { secretKeyRef: { name, key } },
    })),
  ];
}
