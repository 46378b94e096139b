export { type PushAnswer, readPushAnswer, readRemoteTrouble } from './answers.ts';
export {
  checkoutBase,
  forkPoint,
  isInHistory,
  localCommit,
  mergedInto,
  resolveCommit,
} from './base-checkout.ts';
export { changedSince, commitsSince, fileIn, newFiles } from './changes.ts';
export { GitCheckout, readCode, type Sources } from './checkout.ts';
export { Git, type GitCall, type GitEnv, lastLines, quoted } from './command.ts';
export { commitPatch, freshCheckout, hashOfCommit, removeCheckout } from './patched-checkout.ts';
export { ownRemote, type RemoteAccess, readRemote } from './remote.ts';
