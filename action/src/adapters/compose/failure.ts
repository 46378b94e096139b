import type { FaultDetails } from '../../model/fault.ts';
import type { Container } from './containers.ts';
import type { Endings } from './endings.ts';

/** What is known of a failure besides its log. */
export type Explained = Omit<FaultDetails, 'logTail'>;

const diskFull = /no space left on device|ENOSPC|disk (?:is )?full|errno: 28\b/i;
/** The kernel says the same of the watches on files that a user may have. */
const watchesUsedUp = /file watchers|inotify/i;
const freeDisk = 'free some disk space (`docker system df` shows what Docker holds), then run again';

/**
 * The container that brought the stack down: of those that failed, the one that ended first, because the others
 * mostly ended for want of it.
 */
export function failedContainer(containers: readonly Container[], endings: Endings): Container | undefined {
  return containers
    .filter((container) => hasFailed(container, endings))
    .toSorted((a, b) => endOf(a) - endOf(b))
    .at(0);
}

function hasFailed(container: Container, endings: Endings): boolean {
  const { id, status, exitCode, health, outOfMemory, error, restarts, service } = container;
  if (outOfMemory || restarts > 0 || health === 'unhealthy') return true;
  if (status === 'created') return error !== '';
  if (status === 'exited') {
    // The image may have a health check of its own: it is a server.
    const served = health !== undefined && !endings.mustEnd(service);
    return exitCode !== 0 || served || !endings.mayEnd({ service, container: id });
  }
  return status === 'restarting' || status === 'dead';
}

/** One that still runs comes last: what is unhealthy usually lacks what ended. */
function endOf({ status, finishedAt }: Container): number {
  return status === 'running' ? Number.POSITIVE_INFINITY : Date.parse(finishedAt);
}

/** What became of a container that failed; `log` are its last lines. */
export function explainContainer(
  container: Container,
  log: readonly string[],
  phase: 'boot' | 'load',
): Explained {
  const { service, exitCode, outOfMemory, memoryLimit, health, error, status, probe, restarts } = container;
  const place = `service ${service}`;
  const when = phase === 'load' ? ' under load' : '';
  if (outOfMemory) {
    const limit = memoryLimit > 0 ? `its limit of ${mebibytes(memoryLimit)} MiB` : "the machine's memory";
    return {
      code: 'E_STACK_OOM',
      kind: 'measurement',
      place,
      cause: `the kernel killed ${status === 'running' ? 'a process of ' : ''}${service}${when}: it needed more than ${limit}`,
      nextStep: `find what holds the memory, or raise the limit of ${service} in the compose file`,
    };
  }
  if (status === 'created') return explainError(error, service) ?? notStarted(place, error);
  if (saysDiskFull(log.join('\n'))) {
    return {
      code: 'E_DISK_FULL',
      kind: 'measurement',
      place,
      cause: `${service} ran out of disk space`,
      nextStep: freeDisk,
    };
  }
  if (health === 'unhealthy' && status === 'running') {
    return {
      code: 'E_STACK_UNHEALTHY',
      kind: 'measurement',
      place,
      cause: `${service} runs, but its health check fails${probe === '' ? '' : `: ${probe.slice(0, 300)}`}`,
      nextStep: 'read its last lines; if it only needs longer, raise `start_period` of its health check',
    };
  }
  if (phase === 'load') {
    return {
      code: 'E_SERVICE_DIED',
      kind: 'measurement',
      place,
      cause: `${service} ${restarts > 0 ? 'was restarted after it ended' : 'ended'} under load, with ${exitText(exitCode)}`,
      nextStep: 'read its last lines; exit code 137 is a kill from outside, or of memory that ran out',
    };
  }
  return {
    code: 'E_STACK_CRASH',
    kind: 'measurement',
    place,
    cause: `${service} ended while the stack started, with ${exitText(exitCode)}`,
    nextStep: 'read its last lines; the first "Caused by" from the end usually names the reason',
  };
}

/** What the engine or Compose said, where it says what is wrong. Undefined if it does not. */
export function explainError(said: string, fallbackService?: string): Explained | undefined {
  // `Error response from daemon: driver failed programming external connectivity on endpoint NAME (...): ...`
  const service = /endpoint \S+?-([^-\s]+)-\d+ /.exec(said)?.[1] ?? fallbackService;
  const place = service === undefined ? 'docker compose up' : `service ${service}`;
  if (/port is already allocated|address already in use|ports are not available/i.test(said)) {
    const port = /:(\d+)(?: failed|->| -> |: bind)/.exec(said)?.[1];
    return {
      code: 'E_PORT_TAKEN',
      kind: 'measurement',
      place,
      cause: `${port === undefined ? 'a port' : `port ${port}`} of this machine is taken already`,
      nextStep: 'stop what listens there (`ss -ltnp`), then run again',
    };
  }
  if (saysDiskFull(said)) {
    return {
      code: 'E_DISK_FULL',
      kind: 'measurement',
      place,
      cause: 'the Docker engine ran out of disk space',
      nextStep: freeDisk,
    };
  }
  const image = /No such image: (\S+)/i.exec(said)?.[1];
  if (image !== undefined) return imageMissing(image, 'it is not on this machine');
  const variable = /required variable (\S+) is missing a value/.exec(said)?.[1];
  if (variable !== undefined) {
    return {
      code: 'E_COMPOSE_FILE',
      kind: 'usage',
      place: 'stack.compose.env',
      cause: `the compose file needs the variable ${variable}`,
      nextStep: `give it in \`stack.compose.env\`, or name it in \`stack.compose.secrets\` to have a value made up`,
    };
  }
  if (/Cannot connect to the Docker daemon|error during connect/i.test(said)) {
    return {
      code: 'E_ENGINE_DOWN',
      kind: 'measurement',
      place,
      cause: 'the Docker engine stopped answering',
      nextStep: 'start Docker again and look into its log (`journalctl -u docker`)',
    };
  }
  return undefined;
}

function saysDiskFull(said: string): boolean {
  return diskFull.test(said) && !watchesUsedUp.test(said);
}

export function imageMissing(image: string, said: string): Explained {
  return {
    code: 'E_IMAGE_MISSING',
    kind: 'measurement',
    place: image,
    cause: `the image cannot be had: ${said}`,
    nextStep: 'correct its name in the compose file, log in to its registry, or build it on this machine',
  };
}

function notStarted(place: string, error: string): Explained {
  return {
    code: 'E_STACK_CRASH',
    kind: 'measurement',
    place,
    cause: `its container could not be started: ${error}`,
    nextStep: 'correct its command, its mounts or its limits in the compose file',
  };
}

function exitText(code: number): string {
  // A shell's and Docker's way to tell a signal: 128 and its number.
  const name = { 134: 'SIGABRT', 137: 'SIGKILL', 139: 'SIGSEGV', 143: 'SIGTERM' }[code];
  return `exit code ${code}${name === undefined ? '' : ` (${name})`}`;
}

function mebibytes(bytes: number): number {
  return Math.round(bytes / 2 ** 20);
}
