type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Variables that hold the runner's tokens, or the files through which a step controls the runner. Code of a pull request
 * gets none of them, whatever gate.yml names.
 */
const runnersOwn = /^(INPUT_|STATE_|ACTIONS_|GITHUB_(TOKEN|ENV|PATH|OUTPUT|STATE|STEP_SUMMARY)$)/;

/** What builds, services and their tools need on a runner. A workflow may put a secret under any other name. */
const needed = new RegExp(
  `^(?:${[
    'PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\\w+|TZ|TERM|NO_COLOR|FORCE_COLOR|TMPDIR|TMP|TEMP',
    'XDG_(?:CACHE_HOME|CONFIG_HOME|DATA_HOME|RUNTIME_DIR)',
    '(?:HTTP|HTTPS|ALL|NO)_PROXY|(?:http|https|all|no)_proxy|SSL_CERT_(?:FILE|DIR)|NODE_EXTRA_CA_CERTS',
    'DOCKER_(?:HOST|CONTEXT|CONFIG|CERT_PATH|TLS_VERIFY|API_VERSION|BUILDKIT|DEFAULT_PLATFORM)',
    'TESTCONTAINERS_(?:HOST_OVERRIDE|RYUK_DISABLED)',
    'JAVA_HOME(?:_\\w+)?|JAVA_TOOL_OPTIONS|MAVEN_(?:HOME|OPTS|ARGS)|GRADLE_(?:HOME|USER_HOME|OPTS)',
    'GOROOT|GOPATH|GOCACHE|GOMODCACHE|GOFLAGS|CARGO_HOME|RUSTUP_HOME|DOTNET_ROOT|NVM_DIR|PNPM_HOME',
    'pythonLocation|Python\\w*_ROOT_DIR|PKG_CONFIG_PATH|LD_LIBRARY_PATH',
    'CI|GITHUB_(?:ACTIONS|REPOSITORY|SHA|REF|REF_NAME|SERVER_URL|WORKSPACE)',
    'ImageOS|ImageVersion|RUNNER_(?:OS|ARCH|NAME|TEMP|TOOL_CACHE)|GATE_(?:ROOT|CACHE|K6)',
  ].join('|')})$`,
);

/**
 * The environment for everything that is started.
 * @param named variables that gate.yml names
 */
export function childEnvironment(env: Environment, named: readonly string[] = []): Environment {
  const passed = ([name]: readonly [string, unknown]) =>
    (needed.test(name) || named.includes(name)) && !runnersOwn.test(name);
  return Object.fromEntries(Object.entries(env).filter(passed));
}
