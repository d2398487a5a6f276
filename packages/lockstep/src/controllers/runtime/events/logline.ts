/** Lines of the log about objects: which fields name them. */
import type { Env } from '@lockstep/kube/env'
import { parseTimestampMs, type Stored, short10 } from '@lockstep/kube/object'
import type { Inventory } from '../../../api/kinds/index.ts'
import type { ModuleRef } from '../../../decisions/graph/index.ts'
import { refOfInventory } from '../../../deliver/plan/index.ts'
import { eventName } from './eventname.ts'
import type { EventNote, LineFacts } from './events.ts'
import type { StatusLine } from './statuslines.ts'

type Log = Env['log']
type LogFields = NonNullable<Parameters<Log['info']>[1]>

/** `platform/web`, `platform/BootstrapModule/web`. */
const moduleName = ({ kind, namespace, name }: Pick<ModuleRef, 'kind' | 'namespace' | 'name'>): string =>
  `${namespace}/${kind === 'Module' ? name : `${kind}/${name}`}`

/** Fields of a line about a unit. */
export function unitFields(ref: ModuleRef, cluster: string): LogFields {
  const module = moduleName(ref)
  return {
    controller: 'unit',
    module,
    unit: `${module}@${cluster}`,
    cluster: `${ref.namespace}/${cluster}`,
  }
}

const isInventory = (about: Stored): about is Stored<Inventory> => about.kind === 'Inventory'

/** Fields of a line about any object; the controller is the one that writes its status. */
function fieldsOf(about: Stored): LogFields {
  const { kind } = about
  const { name, namespace = '' } = about.metadata
  if (isInventory(about)) return unitFields(refOfInventory(about), about.spec.clusterRef.name)
  const isModule = kind === 'Module' || kind === 'BootstrapModule'
  if (isModule) return { controller: 'module', module: moduleName({ kind, namespace, name }) }
  const object = `${kind} ${namespace}/${name}`
  if (kind === 'Secret') return { controller: 'credential', cluster: `${namespace}/${name}`, object }
  const ofCluster = kind === 'RemoteAssemblage' ? { cluster: `${namespace}/${name}` } : {}
  return { controller: kind.toLowerCase(), ...ofCluster, object }
}

/** Undefined members are not written. */
function factsOf({ reason, revision, release, stage, cause }: LineFacts): LogFields {
  const facts = { reason, revision: revision && short10(revision), release, stage, cause }
  return Object.fromEntries(Object.entries(facts).filter(([, v]) => v !== undefined))
}

/** The line of an Event; its `id` is the name of the Event. A repeated one has the level `debug`. */
export function logNote(log: Log, about: Stored, note: EventNote, isRepeated = false): void {
  const level = isRepeated ? 'debug' : (note.level ?? (note.type === 'Warning' ? 'warn' : 'info'))
  const id = { id: eventName(about, note) }
  log[level](note.text, Object.assign(factsOf(note), id, fieldsOf(about)))
}

export function logLine({ clock, log }: Pick<Env, 'clock' | 'log'>, about: Stored, line: StatusLine): void {
  const since = line.since === undefined ? undefined : parseTimestampMs(line.since)
  const took = since === undefined ? {} : { took: Math.max(0, (clock.now() - since) / 1000) }
  log[line.level](line.message, Object.assign(factsOf(line), took, fieldsOf(about)))
}
