export { CgroupReader } from './cgroup.ts';
export { CpuCap, cpusUntilWarm } from './cpu-cap.ts';
export { allowedCpus, type CpuSets, cpuSets } from './cpu-sets.ts';
export { readKernelFile } from './kernel-file.ts';
export { createLinuxMachine } from './linux-machine.ts';
export { cpuSecondsByName, mainProcessName, readProcesses } from './processes.ts';
export { createPrometheusReader } from './prometheus.ts';
