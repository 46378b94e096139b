import { Fault } from '../../model/fault.ts';

/** Several services are possible, or none has the requested name. */
export function serviceFault(place: string, names: readonly string[], requested: string | undefined): Fault {
  const known = names.slice(0, 10).join(', ');
  return new Fault({
    code: 'E_INIT_SERVICE',
    kind: 'usage',
    place,
    cause:
      requested === undefined
        ? `several services are possible: ${known}`
        : `no service is called ${requested}${known === '' ? '' : `; these are possible: ${known}`}`,
    nextStep: names.length === 0 ? 'leave out --service' : `choose one, such as --service ${names[0]}`,
  });
}
