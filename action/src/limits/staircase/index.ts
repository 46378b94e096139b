export { climb, type StaircaseOptions, staircaseConfig, staircaseOf, staircaseSuite } from './staircase.ts';
export { readUsers, usualUsers } from './users.ts';
