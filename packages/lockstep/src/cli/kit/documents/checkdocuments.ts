/** Documents before anything is done with them: all of them are checked first. */

import { ok, type Result } from '@lockstep/kube/env'
import { keyOf, type Stored } from '@lockstep/kube/object'
import type { Module } from '../../../api/kinds/index.ts'
import { CLI_MANAGER } from '../../../api/labels.ts'
import { findHub, type HubConnection } from '../hub/index.ts'
import { type CliFailure, type CommandContext, type CommandResult, requestFailure } from '../index.ts'
import { cycleFailures, type ModuleDocument, modulesBeside } from './cyclefailures.ts'
import { documentRefusals, noNamespace } from './documentrefusals.ts'
import type { ManifestDocument, ParsedSources } from './parsesources.ts'
import { historyFailures, isModule, namesRevision, specFailures } from './specfailures.ts'

/** The namespace of documents that name none, where no hub is asked. */
export async function namespaceOf(c: CommandContext): Promise<string> {
  if (c.globals.namespace) return c.globals.namespace
  const target = await findHub(c)
  return (target.ok ? target.value.namespace : undefined) ?? 'default'
}

/** Without the hub: a server in this process has our kinds, so that it says of a bad object what the hub would say. */
export async function checkAlone(
  c: CommandContext,
  parsed: ParsedSources,
): Promise<Result<CheckedDocument[], CliFailure>> {
  // The embedded API is large: other commands start without it.
  const { rehearsalHub } = await import('../localfleet/index.ts')
  const named = parsed.documents.map((d) => d.object.metadata.namespace ?? '')
  const hub = await rehearsalHub(c, '', new Set(named.filter((n) => n !== '')))
  return checkDocuments(c, hub, parsed, { force: false, isAlone: true })
}

export interface CheckedDocument {
  readonly document: ManifestDocument
  readonly before: Stored | undefined
  /** What the server would make of it; absent where its namespace comes with the same documents. */
  readonly dry: Stored | undefined
}

/** `isAlone`: the server knows of nothing but these documents. */
interface Checking {
  readonly force: boolean
  readonly isAlone?: boolean
}

/** Every document against the server, without a change. */
export async function checkDocuments(
  c: CommandContext,
  hub: HubConnection,
  parsed: ParsedSources,
  { force, isAlone = false }: Checking,
): Promise<Result<CheckedDocument[], CliFailure>> {
  const failures = [...parsed.failures]
  let bad = failures.length
  const plan: CheckedDocument[] = []
  const brought = new Set(
    parsed.documents.filter((d) => d.kind.kind === 'Namespace').map((d) => d.object.metadata.name),
  )
  for (const d of parsed.documents) {
    const got = await hub.client.get(d.kind, keyOf(d.object), { purpose: 'user', signal: c.signal })
    if (!got.ok && got.error.kind !== 'NotFound') return requestFailure(got.error, hub.server)
    const before = got.ok ? got.value : undefined
    const dry = await dryRun(c, hub, d, force, brought)
    if (dry.ok) {
      const found = await unfit(c, hub, d, { before, after: dry.value.stored, isAlone })
      if (!found.ok) return found
      if (found.value.length > 0) bad++
      failures.push(...found.value)
      plan.push({ document: d, before, dry: dry.value.isElsewhere ? undefined : dry.value.stored })
    } else if (dry.error.kind === 'Conflict') return requestFailure(dry.error, hub.server)
    else if (
      ['Unreachable', 'Malformed', 'Unauthorized', 'Forbidden', 'Deadline', 'Aborted'].includes(
        dry.error.kind,
      )
    )
      return requestFailure(dry.error, hub.server)
    else {
      bad++
      failures.push(
        ...(dry.error.kind === 'NotFound' ? [noNamespace(d)] : documentRefusals(d, dry.error, hub.server)),
      )
    }
  }
  const cycles = await cyclesIn(c, hub, plan, isAlone)
  if (!cycles.ok) return cycles
  bad += cycles.value.length
  failures.push(...cycles.value)
  return failures.length > 0 ? nothingChanged(failures, parsed.total, bad) : { ok: true, value: plan }
}

async function cyclesIn(
  c: CommandContext,
  hub: HubConnection,
  plan: readonly CheckedDocument[],
  isAlone: boolean,
): Promise<Result<CliFailure[], CliFailure>> {
  const modules = plan.flatMap(({ document, dry }): ModuleDocument[] => {
    if (!isModule(document)) return []
    const { metadata } = document.object
    return [{ document, module: { ...document.object, ...dry, metadata } as Stored<Module> }]
  })
  const beside = isAlone ? ok([]) : await modulesBeside(c, hub, modules)
  return beside.ok ? ok(cycleFailures(modules, beside.value)) : beside
}

/** What was checked alone names only revisions that the hub knows. */
export async function checkHistory(
  c: CommandContext,
  hub: HubConnection,
  documents: readonly ManifestDocument[],
): Promise<Result<undefined, CliFailure>> {
  const failures: CliFailure[] = []
  for (const d of documents.filter(namesRevision)) {
    const got = await hub.client.get(d.kind, keyOf(d.object), { purpose: 'user', signal: c.signal })
    if (!got.ok && got.error.kind !== 'NotFound') return requestFailure(got.error, hub.server)
    const found = await historyFailures(c, hub, d, got.ok ? got.value : undefined)
    if (!found.ok) return found
    failures.push(...found.value)
  }
  return failures.length > 0 ? nothingChanged(failures, documents.length) : { ok: true, value: undefined }
}

/** What no server refuses, and no controller would follow. */
async function unfit(
  c: CommandContext,
  hub: HubConnection,
  d: ManifestDocument,
  { before, after, isAlone }: { before: Stored | undefined; after: Stored; isAlone: boolean },
): Promise<Result<CliFailure[], CliFailure>> {
  const own = specFailures(c, d, after)
  if (isAlone || own.length > 0) return { ok: true, value: own }
  return historyFailures(c, hub, d, before)
}

async function dryRun(
  c: CommandContext,
  hub: HubConnection,
  d: ManifestDocument,
  force: boolean,
  brought: ReadonlySet<string | undefined>,
) {
  const options = {
    purpose: 'user',
    manager: CLI_MANAGER,
    signal: c.signal,
    dryRun: true,
    precondition: 'any',
    validate: 'Strict',
    force,
  } as const
  const { namespace } = d.object.metadata
  const first = await hub.client.apply(d.kind, d.object, options)
  if (first.ok) return { ok: true as const, value: { stored: first.value as Stored, isElsewhere: false } }
  if (first.error.kind !== 'NotFound' || !brought.has(namespace)) return first
  // Its namespace comes with these documents: its fields are checked in one that is there.
  const elsewhere = { ...d.object, metadata: { ...d.object.metadata, namespace: 'default' } }
  const second = await hub.client.apply(d.kind, elsewhere, options)
  if (!second.ok) return second
  return { ok: true as const, value: { stored: second.value as Stored, isElsewhere: true } }
}

function nothingChanged(
  failures: readonly CliFailure[],
  total: number,
  bad = failures.length,
): CommandResult & { ok: false } {
  const invalid = `${bad} of ${total} documents ${bad === 1 ? 'is' : 'are'} invalid`
  const what = total === 1 ? 'the document is invalid.' : `${invalid}; all are checked first.`
  const [last, ...others] = [...failures].sort(byPlace).reverse()
  return {
    ok: false,
    error: { ...last!, before: others.reverse(), aftermath: `Nothing was changed: ${what}` },
  }
}

const byPlace = (a: CliFailure, b: CliFailure): number =>
  (a.file ?? '') === (b.file ?? '')
    ? (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0)
    : (a.file ?? '') < (b.file ?? '')
      ? -1
      : 1
