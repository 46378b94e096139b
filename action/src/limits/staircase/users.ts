import { Fault } from '../../model/fault.ts';

/** The field's usual steps. */
export const usualUsers: readonly number[] = [10, 25, 50, 100, 200, 400, 800, 2000];
const mostUsers = 20_000;
const mostSteps = 20;

/** `10,25,50`, or `10..800` for doubling up to the last. */
export function readUsers(text: string): readonly number[] {
  const [, from, to] = /^(\d{1,6})\.\.(\d{1,6})$/.exec(text) ?? [];
  const users =
    from === undefined || to === undefined
      ? text.split(',').map(wholeNumber)
      : doubled(Number(from), Number(to));
  const rising = users.every((count, index) => index === 0 || count > (users[index - 1] ?? 0));
  if (
    rising &&
    users.length >= 2 &&
    users.length <= mostSteps &&
    users.every((count) => count >= 1 && count <= mostUsers)
  ) {
    return users;
  }
  throw new Fault({
    code: 'E_STAIRCASE_USERS',
    kind: 'usage',
    place: '--users',
    cause: `expected 2 to ${mostSteps} rising numbers of users from 1 to ${mostUsers}, found "${text.slice(0, 80)}"`,
    nextStep: 'write them as 10,25,50,100 or as 10..800, which doubles',
  });
}

function wholeNumber(text: string): number {
  return /^\s*\d{1,6}\s*$/.test(text) ? Number(text) : Number.NaN;
}

function doubled(from: number, to: number): readonly number[] {
  if (from < 1 || to <= from) return [];
  const users = [from];
  for (let next = 2 * from; next < to; next *= 2) users.push(next);
  return [...users, to];
}
