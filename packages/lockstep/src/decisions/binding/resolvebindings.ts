/** From what a module declares to values: pure; what is on the hub and on the cluster is asked of `Sources`. */

import { err, ok, type Result } from '@lockstep/kube/env'
import { encodeJson, type JsonValue, parseJson } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { ModuleBinding } from '../../api/kinds/index.ts'
import type { FactsOf } from '../../api/reasons/index.ts'
import { BUILT_IN_NAMES, bindingReferences, escapesOf } from './bindingreferences.ts'
import { type BoundValue, boundText, type Values } from './mention.ts'

/** What a source says. */
export type BindingLookup =
  | { readonly type: 'Found'; readonly text: string; readonly secret?: true }
  /** What is lacking: `cluster edge-7 has no label region; set it`. */
  | { readonly type: 'Missing'; readonly text: string }
  /** Nobody knows yet. */
  | { readonly type: 'Pending'; readonly text: string }
  /** The right to read the value is lacking; a default does not count. */
  | { readonly type: 'Refused'; readonly text: string }

/** Where values come from. */
export interface ValueSources {
  /** CLUSTER_NAME and CLUSTER_NAMESPACE; undefined: there is no cluster. */
  given(name: string): string | undefined
  cluster(what: NonNullable<ModuleBinding['cluster']>): BindingLookup
  key(kind: 'ConfigMap' | 'Secret', name: string, key: string): BindingLookup
  object(where: 'Hub' | 'Cluster', ref: FieldRef): BindingLookup
}

/** A field of an object. */
export type FieldRef = Omit<NonNullable<ModuleBinding['workloadFieldRef']>, 'namespace'> & {
  readonly namespace?: string | undefined
}

/** Why a name has no value. */
export interface BindingFailure {
  readonly reason: 'BindingUnresolved' | 'BindingInvalid'
  readonly name: string
  /** Without any value of a Secret. */
  readonly facts: NonNullable<NewBlocker['facts']>
  readonly message: string
  /** The value is being read, or cannot be read now: the delivered value stays. */
  readonly pending?: true
  /** The right to read it is lacking. */
  readonly refused?: true
  /** Where the value is read. */
  readonly from?: BindingOrigin
}

/** The cluster itself, or an object; without a namespace: of the namespace of the Module, or of none. */
export type BindingOrigin =
  | { readonly type: 'Cluster' }
  | ({ readonly type: 'Object'; readonly where: 'Hub' | 'Cluster' } & FieldOwner)

type FieldOwner = Pick<FieldRef, 'apiVersion' | 'kind' | 'namespace' | 'name'>

/**
 * Values of `names`, as far as they are declared or given; all failures, not only the first. `known`: those that are
 * resolved already. The order of the list is nothing.
 */
export function resolveBindings(
  bindings: readonly ModuleBinding[],
  names: readonly string[],
  known: Values,
  sources: ValueSources,
): Result<Values, readonly BindingFailure[]> {
  const r = new Resolver(bindings, known, sources)
  const values = new Map<string, BoundValue>()
  const failures = new Map<string, BindingFailure>()
  for (const name of [...names].sort()) {
    const found = r.valueOf(name)
    if (!found) continue
    if (found.ok) values.set(name, found.value)
    else failures.set(found.error.name, found.error)
  }
  return failures.size > 0 ? err([...failures.values()]) : ok(values)
}

const NOTHING: BoundValue = { value: null }

type BoundResult = Result<BoundValue, BindingFailure> | undefined

class Resolver {
  private readonly byName: ReadonlyMap<string, ModuleBinding>
  private readonly known: Values
  private readonly sources: ValueSources
  private readonly found = new Map<string, BoundResult>()

  constructor(bindings: readonly ModuleBinding[], known: Values, sources: ValueSources) {
    this.byName = new Map(bindings.map((b) => [b.name, b]))
    this.known = known
    this.sources = sources
  }

  /** Undefined: nobody has declared it. */
  valueOf(name: string): BoundResult {
    const known = this.known.get(name)
    if (known) return ok(known)
    if (this.found.has(name)) return this.found.get(name)
    const b = this.byName.get(name)
    // Whoever mentions itself is refused before; here it must end all the same.
    if (b) this.found.set(name, err(unresolved(b.name, { because: 'Cycle' })))
    const found = b ? this.resolve(b) : this.givenOf(name)
    this.found.set(name, found)
    return found
  }

  private isDeclared(name: string): boolean {
    return this.known.has(name) || this.byName.has(name) || BUILT_IN_NAMES.has(name)
  }

  private givenOf(name: string): BoundResult {
    const text = BUILT_IN_NAMES.has(name) ? this.sources.given(name) : undefined
    return text === undefined ? undefined : ok({ value: text })
  }

  private resolve(b: ModuleBinding): Result<BoundValue, BindingFailure> {
    const needed = new Map<string, BoundValue>()
    for (const name of bindingReferences(b)) {
      const found = this.valueOf(name)
      if (found && !found.ok) return found
      if (found) needed.set(name, found.value)
    }
    // An escape is one where the name is declared, and takes no value: there may be none.
    for (const name of escapesOf(b)) if (this.isDeclared(name)) needed.set(name, NOTHING)
    const isSecret = [...needed.values()].some((v) => v.secret)
    const bind = (text: string): string => boundText(text, needed)
    const look = this.look(b, bind)
    // A name that a value of a Secret is part of is shown nowhere.
    const from = () => (isSecret ? {} : originOf(b, bind))
    switch (look.type) {
      case 'Pending': {
        const failure = unresolved(b.name, { because: 'Pending', error: look.text })
        return err({ ...failure, pending: true, ...from() })
      }
      case 'Refused': {
        const failure = unresolved(b.name, { because: 'Refused', error: look.text })
        return err({ ...failure, pending: true, refused: true, ...from() })
      }
      case 'Missing': {
        if (b.default !== undefined) return typed(b, b.default, false)
        return err({ ...unresolved(b.name, { because: 'Missing', error: look.text }), ...from() })
      }
      case 'Found':
        return typed(b, look.text, isSecret || look.secret === true)
    }
  }

  private look(b: ModuleBinding, bind: (text: string) => string): BindingLookup {
    const { sources } = this
    if (b.value !== undefined) return { type: 'Found', text: bind(b.value) }
    if (b.cluster) return sources.cluster(b.cluster)
    if (b.configMapKeyRef)
      return sources.key('ConfigMap', bind(b.configMapKeyRef.name), b.configMapKeyRef.key)
    if (b.secretKeyRef) return sources.key('Secret', bind(b.secretKeyRef.name), b.secretKeyRef.key)
    const where = b.objectFieldRef ? 'Hub' : 'Cluster'
    const ref = b.objectFieldRef ?? b.workloadFieldRef
    if (!ref) return { type: 'Missing', text: 'it has no source; give one,' }
    return sources.object(where, { ...ref, name: bind(ref.name) })
  }
}

const unresolved = (binding: string, of: Omit<FactsOf<'BindingUnresolved'>, 'binding'>): BindingFailure => {
  const { facts = {}, message } = blocked('BindingUnresolved', [], { binding, ...of })
  return { reason: 'BindingUnresolved', name: binding, facts, message }
}

function originOf(b: ModuleBinding, bind: (text: string) => string): Pick<BindingFailure, 'from'> {
  if (b.cluster) return { from: { type: 'Cluster' } }
  const input = b.configMapKeyRef ?? b.secretKeyRef
  if (input) {
    const kind = b.configMapKeyRef ? 'ConfigMap' : 'Secret'
    return { from: { type: 'Object', where: 'Hub', apiVersion: 'v1', kind, name: bind(input.name) } }
  }
  const ref: FieldRef | undefined = b.objectFieldRef ?? b.workloadFieldRef
  if (!ref) return {}
  const { apiVersion, kind, namespace, name } = ref
  const where = b.objectFieldRef ? 'Hub' : 'Cluster'
  return { from: { type: 'Object', where, apiVersion, kind, namespace, name: bind(name) } }
}

/** A text as its type has it. */
function typed(
  { name, type }: ModuleBinding,
  text: string,
  isSecret: boolean,
): Result<BoundValue, BindingFailure> {
  const value = asType(type, text)
  if (value !== undefined) return ok(isSecret ? { value, secret: true } : { value })
  const shown = isSecret ? {} : { value: encodeJson(text.slice(0, 100)) }
  const kind = type === 'Integer' ? 'an Integer' : type === 'Boolean' ? 'true or false' : 'JSON'
  const made = blocked('BindingInvalid', [], { because: 'Type', binding: name, type: kind, ...shown })
  return err({ reason: 'BindingInvalid', name, facts: made.facts ?? {}, message: made.message })
}

function asType(type: ModuleBinding['type'], text: string): JsonValue | undefined {
  switch (type) {
    case 'String':
      return text
    case 'Integer':
      return /^[+-]?\d{1,19}$/.test(text.trim()) ? parsed(String(BigInt(text.trim()))) : undefined
    case 'Boolean':
      return text.trim() === 'true' ? true : text.trim() === 'false' ? false : undefined
    case 'JSON':
      return parsed(text)
  }
}

function parsed(text: string): JsonValue | undefined {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
