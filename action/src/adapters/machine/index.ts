export { CgroupReader } from './cgroup.ts';
export { createLinuxMachine, readProcesses } from './linux-machine.ts';
export { createPrometheusReader } from './prometheus.ts';
