/** One line of the report: read in the repository, guessed with the reason, or left for its team to edit. */
export interface Finding {
  readonly kind: 'found' | 'guessed' | 'edit';
  readonly text: string;
}

export const found = (text: string): Finding => ({ kind: 'found', text });
export const guessed = (text: string): Finding => ({ kind: 'guessed', text });
export const edit = (text: string): Finding => ({ kind: 'edit', text });
