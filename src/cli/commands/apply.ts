import type { Stored } from '../../api/kind.ts'
import { CLI_MANAGER } from '../../api/labels.ts'
import type { Result } from '../../env/result.ts'
import { jsonEqual, keyOf } from '../../object/object.ts'
import { type Command, type Context, isSet, listFlag, textFlag } from '../command.ts'
import { type Document, type Parsed, parseSources } from '../documents/parse.ts'
import { readSources } from '../documents/read.ts'
import { noNamespace, refusals } from '../documents/refusal.ts'
import { type CliFailure, failed, type Outcome, requestFailure } from '../failure.ts'
import { type Hub, openHub } from '../hub/hub.ts'
import { findTarget } from '../hub/kubeconfig.ts'
import { nameOf } from '../kinds.ts'
import { type Printed, printObjects } from '../output/objects.ts'
import { fit } from '../terminal/wrap.ts'

/** `lockstep apply`. */
export const apply: Command = {
  name: 'apply',
  summary: 'Apply Lockstep resources (server-side)',
  detail:
    'All documents are checked first: nothing is applied if one is bad. Takes Modules, BootstrapModules, and the ConfigMaps, Secrets and Namespaces they need.',
  options: [
    {
      flags: '-f, --filename <path>',
      completes: 'file',
      text: 'file, folder or - for standard input; may be repeated',
      repeats: true,
    },
    {
      flags: '--dry-run <where>',
      text: 'check only; client: fields and values, without a hub',
      choices: ['none', 'client', 'server'],
      default: 'none',
    },
    { flags: '--force-conflicts', text: 'take over fields that others own' },
  ],
  examples: [
    ['A release of the example platform', 'apply -n platform -f examples/platform/v1'],
    ['Check against the hub, without a change', 'apply -f module.yaml --dry-run=server'],
    ['Check without a hub, for example before a commit', 'apply -f module.yaml --dry-run=client'],
    ['From standard input', 'apply -f - < module.yaml'],
  ],
  async run(c, _args, flags) {
    const paths = listFlag(flags, 'filename')
    if (paths.length === 0)
      return failed('E_USAGE', {
        problem: 'nothing to apply',
        suggestion: 'Name files with -f, for example lockstep apply -f module.yaml.',
      })
    const sources = await readSources(c, paths)
    if (!sources.ok) return sources
    const mode = textFlag(flags, 'dryRun') ?? 'none'
    if (mode === 'client') return checkHere(c, parseSources(sources.value, await namespaceOf(c)), paths)
    const hub = await openHub(c)
    if (!hub.ok) return hub
    const parsed = parseSources(sources.value, hub.value.namespace)
    if (parsed.total === 0) return failed('E_NO_INPUT', { path: paths.join(', ') })
    const force = isSet(flags, 'forceConflicts')
    const plan = await check(c, hub.value, parsed, force)
    if (!plan.ok) return plan
    return mode === 'server' ? announce(c, plan.value) : write(c, hub.value, plan.value, force)
  },
}

async function namespaceOf(c: Context): Promise<string> {
  if (c.globals.namespace) return c.globals.namespace
  const target = await findTarget(c)
  return (target.ok ? target.value.namespace : undefined) ?? 'default'
}

/** Without the hub: a server in this process has our kinds, so that it says of a bad object what the hub would say. */
async function checkHere(c: Context, parsed: Parsed, paths: readonly string[]): Promise<Outcome> {
  if (parsed.total === 0) return failed('E_NO_INPUT', { path: paths.join(', ') })
  // The embedded API is large: other commands start without it.
  const { rehearsalHub } = await import('../local/rehearsal.ts')
  const named = parsed.documents.map((d) => d.object.metadata.namespace ?? '')
  const hub = await rehearsalHub(c, '', new Set(named.filter((n) => n !== '')))
  const plan = await check(c, hub, parsed, false)
  if (!plan.ok) return plan
  if (printObjects(c, plan.value.map(wouldBe))) return { ok: true, value: 0 }
  for (const p of plan.value) say(c, p, 'checked (client dry run)')
  return { ok: true, value: 0 }
}

interface Planned {
  readonly document: Document
  readonly before: Stored | undefined
  /** What the server would make of it; absent where its namespace comes with the same documents. */
  readonly dry: Stored | undefined
}

/** Every document against the server, without a change. */
async function check(
  c: Context,
  hub: Hub,
  parsed: Parsed,
  force: boolean,
): Promise<Result<Planned[], CliFailure>> {
  const failures = [...parsed.failures]
  let bad = failures.length
  const plan: Planned[] = []
  const brought = new Set(
    parsed.documents.filter((d) => d.kind.kind === 'Namespace').map((d) => d.object.metadata.name),
  )
  for (const d of parsed.documents) {
    const got = await hub.client.get(d.kind, keyOf(d.object), { why: 'user', signal: c.signal })
    if (!got.ok && got.error.kind !== 'NotFound') return requestFailure(got.error, hub.server)
    const before = got.ok ? got.value : undefined
    const dry = await dryRun(c, hub, d, force, brought)
    if (dry.ok) plan.push({ document: d, before, dry: dry.value })
    else if (dry.error.kind === 'Conflict') return requestFailure(dry.error, hub.server)
    else if (['Unreachable', 'Unauthorized', 'Forbidden', 'Deadline', 'Aborted'].includes(dry.error.kind))
      return requestFailure(dry.error, hub.server)
    else {
      bad++
      failures.push(
        ...(dry.error.kind === 'NotFound' ? [noNamespace(d)] : refusals(d, dry.error, hub.server)),
      )
    }
  }
  return failures.length > 0 ? nothingChanged(failures, parsed.total, bad) : { ok: true, value: plan }
}

async function dryRun(
  c: Context,
  hub: Hub,
  d: Document,
  force: boolean,
  brought: ReadonlySet<string | undefined>,
) {
  const options = {
    why: 'user',
    manager: CLI_MANAGER,
    signal: c.signal,
    dryRun: true,
    fence: 'any',
    validate: 'Strict',
    force,
  } as const
  const { namespace } = d.object.metadata
  const first = await hub.client.apply(d.kind, d.object, options)
  if (first.ok || first.error.kind !== 'NotFound' || !brought.has(namespace)) return first
  // Its namespace comes with these documents: its fields are checked in one that is there.
  const elsewhere = { ...d.object, metadata: { ...d.object.metadata, namespace: 'default' } }
  const second = await hub.client.apply(d.kind, elsewhere, options)
  return second.ok ? { ok: true as const, value: undefined } : second
}

function nothingChanged(
  failures: readonly CliFailure[],
  total: number,
  bad = failures.length,
): Outcome & { ok: false } {
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

/** As the server would have it, where it was asked. */
const wouldBe = (p: Planned): Printed => ({ kind: p.document.kind, object: p.dry ?? p.document.object })

const say = (c: Context, p: Planned, what: string): void =>
  c.terminal.print(fit(c.terminal.look, `${nameOf(p.document.kind, keyOf(p.document.object).name)} ${what}`))

function announce(c: Context, plan: readonly Planned[]): Outcome {
  if (printObjects(c, plan.map(wouldBe))) return { ok: true, value: 0 }
  for (const p of plan) {
    const what = !p.before ? 'created' : sameContent(p.before, p.dry) ? 'unchanged' : 'configured'
    say(c, p, `${what} (server dry run)`)
  }
  return { ok: true, value: 0 }
}

function sameContent(a: Stored, b: Stored | undefined): boolean {
  const strip = (o: Stored): unknown => {
    const { managedFields: _m, resourceVersion: _r, generation: _g, ...metadata } = o.metadata
    return { ...o, metadata }
  }
  return b !== undefined && jsonEqual(strip(a), strip(b))
}

/** Namespaces first, everything else as written. People see each line when it is done, programs all of it at the end. */
async function write(c: Context, hub: Hub, plan: readonly Planned[], force: boolean): Promise<Outcome> {
  const isSpace = (p: Planned): boolean => p.document.kind.kind === 'Namespace'
  const ordered = [...plan.filter(isSpace), ...plan.filter((p) => !isSpace(p))]
  const forPeople = c.globals.output === 'table' || c.globals.output === 'wide'
  const written: Printed[] = []
  for (const p of ordered) {
    const { kind, object } = p.document
    const done = await hub.client.apply(kind, object, {
      why: 'user',
      manager: CLI_MANAGER,
      signal: c.signal,
      fence: 'any',
      validate: 'Strict',
      force,
    })
    if (!done.ok) {
      const failure = requestFailure(done.error, hub.server).error
      const aftermath = `${written.length} of ${ordered.length} documents were applied before this.`
      return { ok: false, error: { ...failure, aftermath } }
    }
    written.push({ kind, object: done.value })
    if (forPeople) say(c, p, happened(p.before, done.value))
  }
  printObjects(c, written)
  return { ok: true, value: 0 }
}

function happened(before: Stored | undefined, after: Stored): string {
  if (!before) return 'created'
  return before.metadata.resourceVersion === after.metadata.resourceVersion ? 'unchanged' : 'configured'
}
