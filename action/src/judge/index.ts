export { isBeyondStored, judgeLooks, type Looks, worthAnotherLook } from './looks.ts';
export type { JudgeOptions } from './options.ts';
export { isTrusted } from './validity.ts';
