import { Fault } from '../../src/model/fault.ts';

/** The fault that the work ends with; anything else that it ends with fails the test. */
export async function faultOf(work: Promise<unknown>): Promise<Fault['details']> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Fault) return error.details;
    throw error;
  }
  throw new Error('expected a fault');
}
