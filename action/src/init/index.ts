export type { ActionSource, OwnWorkflows } from './files/workflow-files.ts';
export { type InitPlan, planInit } from './init-plan.ts';
export { initText } from './init-text.ts';
