/** The verdict in one sentence. */
export interface Headline {
  /** The first word or words of the sentence. */
  readonly word: string;
  /** The rest of the sentence, without its full stop: `: 5 unchanged`. */
  readonly rest: string;
  /** What explains it, most important first. */
  readonly because: readonly string[];
}
