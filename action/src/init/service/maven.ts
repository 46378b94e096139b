/** A Maven module, with the name of its jar. */
export interface MavenModule {
  /** Folder of the module; empty for the top. */
  readonly folder: string;
  readonly artifact: string;
  /** Undefined if the name or the version depends on more than this pom.xml. */
  readonly jar: string | undefined;
}

const safeName = /^[A-Za-z0-9][\w.-]{0,120}$/;

export function mavenModule(folder: string, pom: string): MavenModule | undefined {
  const text = withoutSections(pom, '<!--', '-->');
  const outside = ['profiles', 'build', 'dependencyManagement', 'dependencies', 'properties'].reduce(
    (rest, name) => withoutSections(rest, `<${name}>`, `</${name}>`),
    text,
  );
  const own = withoutSections(outside, '<parent>', '</parent>');
  const artifact = element(own, 'artifactId') ?? '';
  if (!safeName.test(artifact)) return undefined;
  const property = (name: string) => element(text, name);
  const version = resolved(element(own, 'version') ?? element(outside, 'version'), property);
  const finalName = resolved(
    element(text, 'finalName')
      ?.replaceAll('${project.artifactId}', artifact)
      .replaceAll('${project.version}', version ?? ''),
    property,
  );
  const base = finalName ?? (version === undefined ? undefined : `${artifact}-${version}`);
  return { folder, artifact, jar: base !== undefined && safeName.test(base) ? `${base}.jar` : undefined };
}

/** Major version of Java that the build compiles for. */
export function javaOf(build: string): string | undefined {
  return (
    /<(?:java\.version|maven\.compiler\.release)>\s*(\d{1,2})\s*</.exec(build)?.[1] ??
    /JavaLanguageVersion\.of\(\s*(\d{1,2})\s*\)/.exec(build)?.[1]
  );
}

function resolved(
  text: string | undefined,
  property: (name: string) => string | undefined,
): string | undefined {
  const value = text?.replaceAll(/\$\{([\w.-]{1,80})\}/g, (whole, name: string) => property(name) ?? whole);
  return value?.includes('$') === true ? undefined : value;
}

/** Takes linear time whatever the text holds, because the text is not trusted. */
function withoutSections(text: string, begin: string, end: string): string {
  let rest = '';
  let from = 0;
  for (;;) {
    const start = text.indexOf(begin, from);
    if (start === -1) return rest + text.slice(from);
    rest += text.slice(from, start);
    const stop = text.indexOf(end, start);
    if (stop === -1) return rest;
    from = stop + end.length;
  }
}

function element(text: string, name: string): string | undefined {
  const start = text.indexOf(`<${name}>`);
  if (start === -1) return undefined;
  const from = start + name.length + 2;
  const stop = text.indexOf('</', from);
  return stop === -1 || stop - from > 200 ? undefined : text.slice(from, stop).trim();
}
