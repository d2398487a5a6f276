import type { MissingRight } from './account.ts'
import { accountText } from './account.ts'
import { blocked, type NewBlocker } from './blocker.ts'
import type { RefsOf } from './reasons/index.ts'

/** A missing right of an account as a blocker. `refused`: how many objects of the unit it refuses, `3 of 3`. */
export function accessRefusal(
  { absent, ...access }: MissingRight,
  on: RefsOf<'Forbidden'> | readonly never[],
  refused?: string,
): NewBlocker {
  const refs = on as RefsOf<'Forbidden'>
  return absent
    ? blocked('AccountMissing', refs, { account: accountText(access), refused })
    : blocked('Forbidden', refs, { action: 'Act', access, refused })
}
