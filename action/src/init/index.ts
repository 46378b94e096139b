export { type InitPlan, planInit } from './plan.ts';
export { initText } from './text.ts';
export type { ActionSource, OwnWorkflows } from './workflow-files.ts';
