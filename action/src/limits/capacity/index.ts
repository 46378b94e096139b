export { capacityOf, carriedUsers } from './capacity.ts';
