export { type PushAnswer, type RemoteTrouble, readPushAnswer, readRemoteTrouble } from './answers.ts';
export { checkoutBase, forkPoint, isInHistory, mergedInto, resolveCommit } from './base-checkout.ts';
export { GitCheckout } from './checkout.ts';
export { readCode } from './code.ts';
export { Git, type GitCall, type GitEnv, lastLines, quoted, withoutCompany } from './command.ts';
export { ownRemote, type RemoteAccess, readRemote } from './remote.ts';
