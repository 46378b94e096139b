type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Variables of a runner that hold its tokens, or the files through which a step speaks to the runner. What a pull
 * request builds and starts gets none of them.
 */
const runnersOwn = /^(INPUT_|STATE_|ACTIONS_|GITHUB_(TOKEN|ENV|PATH|OUTPUT|STATE|STEP_SUMMARY)$)/;

/** The environment for commands of gate.yml. */
export function childEnvironment(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !runnersOwn.test(name)));
}
