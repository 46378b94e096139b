import { Fault } from '../../model/fault.ts';

/** Several things could be the service, or none is the one that was asked for. */
export function serviceFault(place: string, names: readonly string[], asked: string | undefined): Fault {
  const known = names.slice(0, 10).join(', ');
  return new Fault({
    code: 'E_INIT_SERVICE',
    kind: 'usage',
    place,
    cause:
      asked === undefined
        ? `any of these may be the service: ${known}`
        : `there is no ${asked} among what may be the service${known === '' ? '' : `: ${known}`}`,
    nextStep: names.length === 0 ? 'leave --service out' : `name it: --service ${names[0]}`,
  });
}
