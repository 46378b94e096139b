type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Variables that hold the runner's tokens, or the files through which a step controls the runner. Code of a pull request
 * gets none of them.
 */
const runnersOwn = /^(INPUT_|STATE_|ACTIONS_|GITHUB_(TOKEN|ENV|PATH|OUTPUT|STATE|STEP_SUMMARY)$)/;

/** The environment for commands of gate.yml. */
export function childEnvironment(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !runnersOwn.test(name)));
}
