import { type Paint, plainText, type Style, wrap } from '../report/index.ts';
import type { Finding } from './finding.ts';
import type { InitPlan } from './init-plan.ts';

export interface InitTextOptions {
  readonly width: number;
  readonly paint: Paint;
  /** Command that measures what was written. */
  readonly check: string;
  /** As it was typed, for the paths of what was written. */
  readonly pathOf: (file: string) => string;
}

const styles: Readonly<Record<Finding['kind'] | 'wrote', Style>> = {
  found: 'green',
  guessed: 'yellow',
  edit: 'cyan',
  wrote: 'bold',
};
const labelWidth = 9;
const widest = 140;

/** What was found, guessed, written and left to do, a line each, and the next step as a command. */
export function initText({ files, findings, branch }: InitPlan, options: InitTextOptions): string {
  const { paint, check, pathOf } = options;
  const width = Math.min(options.width, widest);
  const line = (label: keyof typeof styles, text: string) => {
    const [first = '', ...rest] = wrap(plainText(text), width, ' '.repeat(labelWidth));
    return [`${paint(styles[label], label)}${first.slice(label.length)}`, ...rest];
  };
  const ofKind = (...kinds: readonly Finding['kind'][]) =>
    findings.filter(({ kind }) => kinds.includes(kind)).flatMap(({ kind, text }) => line(kind, text));
  return [
    ...ofKind('found', 'guessed'),
    ...files.flatMap(({ path }) => line('wrote', pathOf(path))),
    ...ofKind('edit'),
    '',
    // Not wrapped: a command is to be copied as a whole.
    `${paint('bold', 'next:')} ${plainText(check)}`,
    ...wrap(
      `then commit the files: pull requests are compared from the first push to ${plainText(branch)} on`,
      width,
      ' '.repeat('next: '.length),
    ),
    '',
  ].join('\n');
}
