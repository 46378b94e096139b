/**
 * Process exit codes: a contract with scripts and workflows.
 * `undecided` also means that the machine was too disturbed. `interrupted` is 128 + SIGINT, as shells have it; SIGTERM
 * gives 143.
 */
export const exitCodes = {
  pass: 0,
  regression: 1,
  usage: 2,
  notMeasured: 3,
  undecided: 4,
  interrupted: 130,
  terminated: 143,
} as const;

/** What stopped the gate: `usage` is for the caller to fix (exit 2), `measurement` lies with the machine or the service (exit 3). */
export type FaultKind = 'usage' | 'measurement';

export interface FaultDetails {
  /** Stable identifier such as `E_CONFIG_KEY`; never reworded once published. */
  readonly code: string;
  readonly kind: FaultKind;
  /** Where it went wrong, as `file:line:column`, a command, an address or a phase. */
  readonly place: string;
  /** What went wrong, one or two plain sentences. */
  readonly cause: string;
  /** What to do about it. */
  readonly nextStep: string;
  /** Last lines of the log that explains it, oldest first. */
  readonly logTail?: readonly string[];
}

/** An error that the gate can explain. Anything else that is thrown is a defect of the gate. */
export class Fault extends Error {
  readonly details: FaultDetails;

  constructor(details: FaultDetails, options?: ErrorOptions) {
    super(`${details.code} ${details.place}: ${details.cause}`, options);
    this.name = 'Fault';
    this.details = details;
  }
}

/** What went wrong, in words, whatever was thrown. */
export function causeOf(error: unknown): string {
  if (error instanceof Fault) return error.details.cause;
  return error instanceof Error ? error.message : String(error);
}
