import { edit, type Finding, found, guessed } from '../finding.ts';
import { manifestText, type Repository } from '../repository.ts';
import { plainCommand } from './command-line.ts';
import type { BuildStep, StartingPoint } from './start.ts';

const manifests = ['requirements.txt', 'pyproject.toml'];
const entries = ['app.py', 'main.py', 'server.py', 'src/app.py', 'src/main.py', 'app/main.py'];
/** Git ignores this folder. Packages go there, so that the user's and the system's Python stay unchanged. */
const environment = '.perf-gate/venv';
const python = `${environment}/bin/python`;

/** A Python service of Django, FastAPI, Flask or a plain script. */
export function pythonService(
  repository: Repository,
  dockerCommand: readonly string[] | undefined,
): StartingPoint | undefined {
  const dependencies = manifests.map((path) => manifestText(repository, path) ?? '').join('\n');
  const build = installation(repository);
  const interpreter = build.length === 0 ? 'python3' : python;
  const program =
    django(repository, dependencies) ??
    framework(repository, dependencies) ??
    fromDocker(dockerCommand) ??
    script(repository);
  if (program === undefined) return undefined;
  return {
    command: [interpreter, ...program.arguments],
    build,
    env: { PYTHONUNBUFFERED: '1', ...program.env },
    sources: ['.py'],
    defaultPort: { port: 8000, why: 'most Python servers use it' },
    findings: [program.finding, ...(build.length === 0 ? leftToInstall(repository) : [])],
  };
}

interface Program {
  readonly arguments: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly finding: Finding;
}

function installation({ paths, text }: Repository): readonly BuildStep[] {
  const requirements = paths.includes('requirements.txt');
  // A pyproject.toml without [project] only configures tools.
  const project = /^\[project\]/m.test(text('pyproject.toml') ?? '');
  if (!requirements && !project) return [];
  const manifest = requirements ? 'requirements.txt' : 'pyproject.toml';
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  return [
    { command: ['python3', '-m', 'venv', environment], inputs: [manifest], outputs: [python] },
    {
      command: [python, ...install, ...(requirements ? ['-r', manifest] : ['-e', '.'])],
      inputs: [manifest],
      outputs: [python],
    },
  ];
}

/** The packages of Pipenv or Poetry, whose commands the runner may lack. */
function leftToInstall({ paths, text }: Repository): readonly Finding[] {
  const poetry = /^\[tool\.poetry\b/m.test(text('pyproject.toml') ?? '') ? 'pyproject.toml' : undefined;
  const manifest = paths.includes('Pipfile') ? 'Pipfile' : poetry;
  if (manifest === undefined) return [];
  return [
    edit(
      `add the commands that install the packages of ${manifest} to perf/gate.yml as \`stack.process.build\`, and start the service with their Python, because init only knows pip`,
    ),
  ];
}

function has(dependencies: string, name: string): boolean {
  return new RegExp(String.raw`(^|["'\s])${name}\b`, 'im').test(dependencies);
}

function django(repository: Repository, dependencies: string): Program | undefined {
  const text = repository.text('manage.py');
  if (text === undefined) return undefined;
  const site = /DJANGO_SETTINGS_MODULE['"]\s*,\s*['"](\w{1,80})\.settings/.exec(text)?.[1];
  if (site !== undefined && has(dependencies, 'gunicorn')) {
    return {
      arguments: ['-m', 'gunicorn', '--bind', '127.0.0.1:${PORT}', `${site}.wsgi`],
      finding: found(`manage.py, so gunicorn serves ${site}.wsgi`),
    };
  }
  return {
    arguments: ['manage.py', 'runserver', '--noreload', '127.0.0.1:${PORT}'],
    finding: guessed("manage.py runs Django's own server, because gunicorn is no dependency"),
  };
}

const servers = [
  { create: 'FastAPI', run: ['uvicorn', '--host', '127.0.0.1', '--port', '${PORT}'] },
  { create: 'Starlette', run: ['uvicorn', '--host', '127.0.0.1', '--port', '${PORT}'] },
  { create: 'Flask', run: ['gunicorn', '--bind', '127.0.0.1:${PORT}'] },
] as const;

function framework(repository: Repository, dependencies: string): Program | undefined {
  for (const path of entries) {
    const text = repository.text(path);
    for (const { create, run } of text === undefined ? [] : servers) {
      const name = new RegExp(String.raw`^(\w{1,80})\s*(?::\s*\w+\s*)?=\s*${create}\(`, 'm').exec(
        text ?? '',
      )?.[1];
      if (name === undefined) continue;
      const inSrc = path.startsWith('src/');
      const module = path
        .replace(/^src\//, '')
        .replace(/\.py$/, '')
        .replaceAll('/', '.');
      const env = inSrc ? { env: { PYTHONPATH: 'src' } } : {};
      const [server, ...options] = run;
      if (server === 'uvicorn' || has(dependencies, 'gunicorn')) {
        return {
          arguments: ['-m', server, ...options, `${module}:${name}`],
          ...env,
          finding: found(`${path} creates a ${create} application, so ${server} serves it`),
        };
      }
      return {
        arguments: ['-m', 'flask', '--app', `${module}:${name}`, 'run', '--port', '${PORT}'],
        ...env,
        finding: guessed(`Flask's own server runs ${path}, because gunicorn is no dependency`),
      };
    }
  }
  return undefined;
}

function fromDocker(command: readonly string[] | undefined): Program | undefined {
  if (command === undefined || !/^python3?$/.test(command[0] ?? '')) return undefined;
  const [, ...rest] = plainCommand(command.join(' ')) ?? [];
  // An absolute path of the container does not exist on the runner.
  if (rest.length === 0 || rest.some((word) => word.startsWith('/'))) return undefined;
  return { arguments: rest, finding: found('CMD of the Dockerfile starts it') };
}

function script({ paths }: Repository): Program | undefined {
  const entry = entries.find((path) => paths.includes(path));
  if (entry === undefined) return undefined;
  return { arguments: [entry], finding: guessed(`python3 ${entry} starts it, judging by the file name`) };
}
