import { itLeavesNothing } from './cancelled-phases.ts';

itLeavesNothing('compose');
