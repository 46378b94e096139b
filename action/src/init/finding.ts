/** One thing that is said of a repository: read off it, guessed with the reason, or left to its people. */
export interface Finding {
  readonly kind: 'found' | 'guessed' | 'edit';
  readonly text: string;
}

export const found = (text: string): Finding => ({ kind: 'found', text });
export const guessed = (text: string): Finding => ({ kind: 'guessed', text });
export const edit = (text: string): Finding => ({ kind: 'edit', text });
