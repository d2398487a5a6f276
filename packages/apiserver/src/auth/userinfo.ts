import type { JsonObject } from '@lockstep/kube/object'
import type { User } from './user.ts'

/** A user as the API writes it (authentication/v1 UserInfo). */
export const userInfo = (u: User): JsonObject => ({
  username: u.name || undefined,
  uid: u.uid || undefined,
  groups: u.groups.length > 0 ? u.groups : undefined,
  extra: u.extra as JsonObject | undefined,
})
