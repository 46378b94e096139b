export { DockerCli, DockerMissing } from './cli.ts';
export { allowedCpus, type CpuSets, cpuSets } from './cpu-sets.ts';
export { projectName, remainsOf, removeProject } from './project.ts';
export { createComposeStack } from './stack.ts';
