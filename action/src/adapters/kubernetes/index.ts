export { generatorManifests, kubernetesCommands, type KubernetesLoad, resultFolder } from './manifests.ts';
export { type GeneratorPod, podsFile, readPods } from './pods.ts';
export { clusterAddress, type SecretVariable, variablesOf } from './variables.ts';
