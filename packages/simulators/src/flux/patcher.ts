/**
 * How Flux's controllers write (pkg/runtime/patch): conditions, then metadata, then the rest of the status, each in a request of
 * its own. One that fails does not keep the next ones from being made.
 */
import { err, ok, type Result } from '@lockstep/kube/env'
import { type JsonValue, jsonEqual, type KubeObject } from '@lockstep/kube/object'
import { type FluxController, isRefused, notCached, nowText, request } from './fluxcontext.ts'
import { type FluxKind, RESOURCES } from './fluxkind.ts'
import type { StatusWrite } from './fluxoptions.ts'
import {
  conditionsOf,
  type FluxCondition,
  type FluxSubject,
  type StatusFields,
  withCondition,
} from './fluxsubject.ts'

/** Conditions are written on the version that was read, so often, with a pause of 100 to 200 ms. */
const TRIES = 5
const PAUSE_MS = 100

export class Patcher {
  private readonly c: FluxController
  private readonly kind: FluxKind
  private readonly subject: FluxSubject
  private base: FluxSubject['written']

  constructor(c: FluxController, kind: FluxKind, subject: FluxSubject) {
    this.c = c
    this.kind = kind
    this.subject = subject
    this.base = subject.written
  }

  /** Writes what has changed since the last time; the error joins those of the requests that failed. */
  async patch(): Promise<Result<undefined, string>> {
    const { written } = this.subject
    const errors = [
      await this.conditions(written.conditions),
      await this.metadata(written.finalizers),
      await this.status(written.status),
    ].filter((e) => e !== undefined)
    if (errors.length > 0) return err(errors.length === 1 ? errors[0]! : `[${errors.join(', ')}]`)
    this.base = written
    return ok(undefined)
  }

  /**
   * The changes, put on what the cache has now: a change made meanwhile by others is kept, and every condition that is set
   * claims the generation of that object, not of the one that the run has read.
   */
  private async conditions(next: readonly FluxCondition[]): Promise<string | undefined> {
    const set = next.filter((c) => !jsonEqual(c, find(this.base.conditions, c.type)))
    const gone = this.base.conditions.filter((c) => find(next, c.type) === undefined)
    if (set.length + gone.length === 0) return undefined
    const { namespace = '', name = '' } = this.subject.object.metadata
    for (let i = 0; i < TRIES; i++) {
      const latest = this.c.caches[this.kind]?.get(namespace, name)
      if (!latest) return notCached(this.kind, name)
      const problem = await this.send('conditions', latest, (o) =>
        withStatus(o, { conditions: merged(latest, set, gone, nowText(this.c.x)) as unknown as JsonValue }),
      )
      if (problem !== 'Conflict') return problem
      await request(this.c.x, PAUSE_MS * (1 + this.c.x.random.next()))
    }
    return 'timed out waiting for the condition'
  }

  private async metadata(finalizers: readonly string[]): Promise<string | undefined> {
    if (jsonEqual(finalizers, this.base.finalizers)) return undefined
    return this.send('metadata', undefined, (o) => ({ ...o, metadata: { ...o.metadata, finalizers } }))
  }

  private async status(next: StatusFields): Promise<string | undefined> {
    const changed: { [name: string]: JsonValue | undefined } = {}
    for (const name of new Set([...Object.keys(next), ...Object.keys(this.base.status)]))
      if (!jsonEqual(next[name], this.base.status[name])) changed[name] = next[name]
    if (Object.keys(changed).length === 0) return undefined
    return this.send('status', undefined, (o) => withStatus(o, changed))
  }

  /** One request. `expected`: the version that it must meet. */
  private async send(
    part: StatusWrite['part'],
    expected: KubeObject | undefined,
    change: (live: KubeObject) => KubeObject,
  ): Promise<string | undefined> {
    const { x, statusManager } = this.c
    const { namespace = '', name = '' } = this.subject.object.metadata
    if (!(await request(x))) return 'context canceled'
    if (isRefused(x, { kind: this.kind, namespace, name, part }))
      return `Internal error occurred: the ${part} of ${this.kind} ${namespace}/${name} cannot be written now`
    const now = x.api.get(RESOURCES[this.kind], namespace, name)
    if (!now) return `${RESOURCES[this.kind]} "${name}" not found`
    if (expected && expected.metadata.resourceVersion !== now.metadata.resourceVersion) return 'Conflict'
    const changed = change(now)
    const done =
      part === 'metadata' ? x.api.update(changed, statusManager) : x.api.updateStatus(changed, statusManager)
    return done.ok ? undefined : done.error.message
  }
}

const find = (list: readonly FluxCondition[], type: string): FluxCondition | undefined =>
  list.find((c) => c.type === type)

const withStatus = (o: KubeObject, fields: StatusFields): KubeObject => ({
  ...o,
  status: { ...(o.status as StatusFields | undefined), ...fields },
})

function merged(
  latest: KubeObject,
  set: readonly FluxCondition[],
  gone: readonly FluxCondition[],
  now: string,
): readonly FluxCondition[] {
  let list: readonly FluxCondition[] = conditionsOf(latest).filter((c) => find(gone, c.type) === undefined)
  const observedGeneration = latest.metadata.generation
  for (const c of set) list = withCondition(list, { ...c, observedGeneration }, now)
  return list
}
