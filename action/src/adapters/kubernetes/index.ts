export { generatorManifests, type KubernetesLoad, kubernetesCommands, resultFolder } from './manifests.ts';
export { type GeneratorPod, podsFile, readPods } from './pods.ts';
export { testRunName, testRunNameOf } from './test-run-name.ts';
export { requireClusterAddress, type SecretVariable, variablesOf } from './variables.ts';
