import type { FaultDetails } from '../../model/fault.ts';
import { type Container, placeOf } from './containers.ts';

/** A failure without its log. */
type Explained = Omit<FaultDetails, 'logTail'>;

const diskFull = /no space left on device|ENOSPC|disk (?:is )?full|errno: 28\b/i;
/** The kernel reports a user's used-up file watches with the same error. */
const watchesUsedUp = /file watchers|inotify/i;
const freeDisk = 'free some disk space (`docker system df` shows what Docker uses), then run the check again';
const shownProbe = 300;

/** Explains why a container failed, from its state and the last lines of its log. */
export function explainContainer(
  container: Container,
  log: readonly string[],
  phase: 'boot' | 'load',
): Explained {
  const { service, outOfMemory, memoryLimit, health, error, status, probe, restarts } = container;
  const place = placeOf(container);
  const exit = exitText(container.exitCode);
  if (outOfMemory) {
    const limit = memoryLimit > 0 ? `its limit of ${mebibytes(memoryLimit)} MiB` : "the machine's memory";
    const victim = status === 'running' ? `a process of ${service}` : service;
    return measurementFault(
      'E_STACK_OOM',
      place,
      `the kernel killed ${victim}${phase === 'load' ? ' under load' : ''}: it needed more than ${limit}`,
      `find out what uses the memory, or raise the limit of ${service} in the compose file`,
    );
  }
  if (status === 'created') {
    return (
      explainError(error, service) ??
      measurementFault(
        'E_STACK_CRASH',
        place,
        `its container could not be started: ${error}`,
        'correct its command, its mounts or its limits in the compose file',
      )
    );
  }
  if (reportsDiskFull(log.join('\n'))) {
    return measurementFault('E_DISK_FULL', place, `${service} ran out of disk space`, freeDisk);
  }
  if (health === 'unhealthy' && status === 'running') {
    return measurementFault(
      'E_STACK_UNHEALTHY',
      place,
      `${service} runs, but its health check fails${probe === '' ? '' : `: ${probe.slice(0, shownProbe)}`}`,
      'read its last log lines; if it only needs longer, raise `start_period` of its health check',
    );
  }
  if (phase === 'load') {
    return measurementFault(
      'E_SERVICE_DIED',
      place,
      `${service} ${restarts > 0 ? 'was restarted after it ended' : 'ended'} under load, with ${exit}`,
      'read its last log lines; exit code 137 means that it was killed, often because memory ran out',
    );
  }
  return measurementFault(
    'E_STACK_CRASH',
    place,
    `${service} ended while the stack started, with ${exit}`,
    'read its last log lines; the last "Caused by" usually names the reason',
  );
}

/** Explains an error message of Docker or Compose. Undefined if the message is unknown. */
export function explainError(message: string, fallbackService?: string): Explained | undefined {
  // `Error response from daemon: driver failed programming external connectivity on endpoint NAME (...): ...`
  const service = /endpoint \S+?-([^-\s]+)-\d+ /.exec(message)?.[1] ?? fallbackService;
  const place = service === undefined ? 'docker compose up' : `service ${service}`;
  if (/port is already allocated|address already in use|ports are not available/i.test(message)) {
    const port = /:(\d+)(?: failed|->| -> |: bind)/.exec(message)?.[1];
    return measurementFault(
      'E_PORT_TAKEN',
      place,
      `${port === undefined ? 'a port' : `port ${port}`} of this machine is already in use`,
      'stop the program that listens there (`ss -ltnp`), then run the check again',
    );
  }
  if (reportsDiskFull(message)) {
    return measurementFault('E_DISK_FULL', place, 'the Docker engine ran out of disk space', freeDisk);
  }
  const image = /No such image: (\S+)/i.exec(message)?.[1];
  if (image !== undefined) return imageMissing(image, 'it is not on this machine');
  const variable = /required variable (\S+) is missing a value/.exec(message)?.[1];
  if (variable !== undefined) {
    return {
      code: 'E_COMPOSE_FILE',
      kind: 'usage',
      place: 'stack.compose.env',
      cause: `the compose file needs the variable ${variable}`,
      nextStep: 'set it in `stack.compose.env`, or list it in `stack.compose.secrets` to get a random value',
    };
  }
  if (/Cannot connect to the Docker daemon|error during connect/i.test(message)) {
    return measurementFault(
      'E_ENGINE_DOWN',
      place,
      'the Docker engine stopped answering',
      'start Docker again and read its log (`journalctl -u docker`)',
    );
  }
  return undefined;
}

export function imageMissing(image: string, reason: string): Explained {
  return measurementFault(
    'E_IMAGE_MISSING',
    image,
    `the image is not available: ${reason}`,
    'correct its name in the compose file, log in to its registry, or build it on this machine',
  );
}

function measurementFault(code: string, place: string, cause: string, nextStep: string): Explained {
  return { code, kind: 'measurement', place, cause, nextStep };
}

function reportsDiskFull(message: string): boolean {
  return diskFull.test(message) && !watchesUsedUp.test(message);
}

function exitText(code: number): string {
  // Shells and Docker report a signal as 128 plus its number.
  const name = { 134: 'SIGABRT', 137: 'SIGKILL', 139: 'SIGSEGV', 143: 'SIGTERM' }[code];
  return `exit code ${code}${name === undefined ? '' : ` (${name})`}`;
}

function mebibytes(bytes: number): number {
  return Math.round(bytes / 2 ** 20);
}
