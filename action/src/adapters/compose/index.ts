export { DockerCli } from './docker.ts';
export { projectName, remainsOf, removeProject } from './project.ts';
export { createComposeStack } from './stack.ts';
