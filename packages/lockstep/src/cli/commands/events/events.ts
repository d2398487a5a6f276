import { startInformer } from '@lockstep/kube/cache'
import { eventKind, type KubernetesEvent } from '@lockstep/kube/kinds'
import type { Stored } from '@lockstep/kube/object'
import { GROUP } from '../../../api/apiversion.ts'
import { inventoryKind } from '../../../api/kinds/index.ts'
import { deliveredBy } from '../../../decisions/resourceset/index.ts'
import { type HubConnection, listAll, noneText, openHub } from '../../kit/hub/index.ts'
import {
  type Command,
  type CommandContext,
  type CommandResult,
  INTERRUPTED,
  isSet,
  requestFailure,
  targetOf,
  untilInterrupt,
} from '../../kit/index.ts'
import { forPrograms, listOf, printData, printTable } from '../../kit/output/index.ts'
import { ageText } from '../../kit/terminal/index.ts'

type About = (e: KubernetesEvent) => boolean

/** `lockstep events`. */
export const eventsCommand: Command = {
  name: 'events',
  summary: 'Show events of Modules and units, the latest last',
  arguments: '[kind/name]',
  completes: ['target'],
  detail:
    'Events of a Module include those of its clusters. An event that happens again has its number in parentheses, as of at most ten minutes ago. API servers delete events after an hour.',
  options: [{ flags: '-w, --watch', text: 'watch until interrupted' }],
  selects: ['allNamespaces'],
  formats: ['table', 'wide', 'json', 'yaml', 'name'],
  examples: [
    ['Show recent events', 'events -n platform'],
    ['Show events of one Module on all clusters', 'events module/monitoring -n platform'],
    ['Watch events', 'events -w -n platform'],
  ],
  async run(c, args, flags) {
    const hub = await openHub(c)
    if (!hub.ok) return hub
    const about = await aboutOf(c, hub.value, args[0])
    if (!about.ok) return about
    if (isSet(flags, 'watch')) return watch(c, hub.value, about.value)
    const found = await listAll(c, hub.value, eventKind, scopeOf(c, hub.value))
    if (!found.ok) return found
    const shown = found.value.filter(about.value).sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1))
    const names = shown.map((e) => `event/${e.metadata.name}`)
    if (printData(c, listOf(shown.map(forPrograms)), names)) return { ok: true, value: 0 }
    if (shown.length === 0) c.terminal.talk(noneText(c, hub.value, 'events'))
    else printTable(c, [headOf(c), ...shown.map((e) => rowOf(c, e))])
    return { ok: true, value: 0 }
  },
}

const scopeOf = (c: CommandContext, hub: HubConnection) =>
  c.globals.allNamespaces ? {} : { namespace: hub.namespace }

/** What our controllers have told, of whatever kind. */
const CONTROLLER = 'lockstep.dev/controller'

/** Which events count: ours, or of one object; a module's units are part of it, and the Module of a ClusterResourceSet. */
async function aboutOf(c: CommandContext, hub: HubConnection, target: string | undefined) {
  if (target === undefined)
    return {
      ok: true,
      value: (e: KubernetesEvent) =>
        e.reportingController === CONTROLLER || e.regarding?.apiVersion?.startsWith(`${GROUP}/`) === true,
    } as const
  const found = targetOf(target)
  if (!found.ok) return found
  const { kind, name } = found.value
  const units = kind.internal ? undefined : await listAll(c, hub, inventoryKind, scopeOf(c, hub))
  if (units && !units.ok) return units
  const all = [{ kind: kind.kind, name }, deliveredBy({ kind: kind.kind, name })]
  const isIt = (o: { readonly kind?: string; readonly name?: string } | undefined): boolean =>
    all.some((x) => x.kind === o?.kind && x.name === o.name)
  const isUnit = (n: string | undefined): boolean =>
    units?.value.some(({ metadata, spec }) => metadata.name === n && isIt(spec.moduleRef)) === true
  const value: About = ({ regarding: r }) => isIt(r) || (r?.kind === inventoryKind.kind && isUnit(r.name))
  return { ok: true, value } as const
}

async function watch(c: CommandContext, hub: HubConnection, about: About): Promise<CommandResult> {
  let isFirst = true
  const refused = new AbortController()
  let outcome: CommandResult = { ok: true, value: INTERRUPTED }
  const informer = startInformer(c.env, hub.client, {
    kind: eventKind,
    ...scopeOf(c, hub),
    project: (e) => e,
    onHealth(error) {
      if (!error || informer.store.freshness.state !== 'Syncing') return
      outcome = requestFailure(error, hub.server)
      refused.abort()
    },
  })
  const show = (e: Stored<KubernetesEvent>): void => {
    if (!about(e) || printData(c, forPrograms(e), [`event/${e.metadata.name}`])) return
    if (isFirst && c.globals.headers) printTable(c, [headOf(c)])
    isFirst = false
    const [, ...cells] = rowOf(c, e)
    c.terminal.print([timeOf(e).slice(0, 19).concat('Z'), ...cells].join('   '))
  }
  informer.store.subscribe(({ after }) => after && show(after))
  await Promise.race([untilInterrupt(c.signal), untilInterrupt(refused.signal)])
  informer.stop()
  await hub.client.close()
  return outcome
}

const headOf = (c: CommandContext): string[] => [
  ...(c.globals.allNamespaces ? ['NAMESPACE'] : []),
  'LAST SEEN',
  'TYPE',
  'REASON',
  'OBJECT',
  'MESSAGE',
]

function rowOf(c: CommandContext, e: Stored<KubernetesEvent>): string[] {
  const { kind = '', name = '' } = e.regarding ?? {}
  return [
    ...(c.globals.allNamespaces ? [e.metadata.namespace ?? ''] : []),
    ageText(timeOf(e), c.env.clock.now()),
    e.type ?? '',
    e.reason ?? '',
    `${kind.toLowerCase()}/${name}`,
    `${e.note ?? ''}${e.series ? ` (x${e.series.count})` : ''}`,
  ]
}

const timeOf = (e: Stored<KubernetesEvent>): string =>
  e.series?.lastObservedTime ?? e.eventTime ?? e.deprecatedLastTimestamp ?? e.metadata.creationTimestamp
