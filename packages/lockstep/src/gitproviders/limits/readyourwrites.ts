/**
 * A host whose lists may be late, and do not forget what it has just answered: what was closed or edited here a moment ago is not
 * closed and told once more because a list still has it as it was.
 */
import { type Clock, ok } from '@lockstep/kube/env'
import type { GitProvider, GitProviderResult, Pull } from '../gitprovider.ts'

/** `behindMs`: for how long a list may be late, in milliseconds. */
export function readYourWrites(
  host: GitProvider,
  clock: Pick<Clock, 'steady'>,
  behindMs: number,
): GitProvider {
  const edited = new Map<number, { readonly pull: Pull; readonly untilMs: number }>()
  const now = (p: Pull): Pull => {
    const known = edited.get(p.number)
    // What has ended by the list has ended since.
    return known && known.untilMs > clock.steady() && p.state === 'open' ? known.pull : p
  }
  const listed = (found: GitProviderResult<readonly Pull[]>): GitProviderResult<readonly Pull[]> =>
    found.ok ? ok(found.value.map(now)) : found
  return {
    name: host.name,
    where: host.where,
    pullsOf: async (head, o) => listed(await host.pullsOf(head, o)),
    async openPulls(o) {
      const found = listed(await host.openPulls(o))
      return found.ok ? ok(found.value.filter((p) => p.state === 'open')) : found
    },
    lastPulls: async (o) => listed(await host.lastPulls(o)),
    pull: (number, o) => host.pull(number, o),
    open: (pull, o) => host.open(pull, o),
    async edit(number, edit, o) {
      const done = await host.edit(number, edit, o)
      for (const [n, { untilMs }] of edited) if (untilMs <= clock.steady()) edited.delete(n)
      if (done.ok) edited.set(number, { pull: done.value, untilMs: clock.steady() + behindMs })
      return done
    },
    merge: (number, to, o) => host.merge(number, to, o),
    budget: () => host.budget(),
    close: () => host.close(),
  }
}
