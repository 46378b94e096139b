import { itLeavesNothing } from './cancelled-phases.ts';

itLeavesNothing('process');
