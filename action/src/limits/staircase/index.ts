export {
  climb,
  type StaircaseOptions,
  type StaircasePort,
  staircaseConfig,
  staircaseOf,
  staircaseSuite,
} from './staircase.ts';
export { readUsers, usualUsers } from './users.ts';
