import { jsonEqual, keyOf, type Stored } from '@lockstep/kube/object'
import { CLI_MANAGER } from '../../../api/labels.ts'
import {
  type CheckedDocument,
  checkAlone,
  checkDocuments,
  filenameOption,
  namespaceOf,
  type ParsedSources,
  parseSources,
  readSources,
} from '../../kit/documents/index.ts'
import { type HubConnection, openHub } from '../../kit/hub/index.ts'
import {
  type Command,
  type CommandContext,
  type CommandResult,
  failed,
  isSet,
  listFlag,
  nameOf,
  requestFailure,
  textFlag,
} from '../../kit/index.ts'
import { type PrintedObject, printObjects } from '../../kit/output/index.ts'
import { fileModulesOf } from '../../kit/render/index.ts'
import { fit } from '../../kit/terminal/index.ts'
import { printHandovers } from './printhandovers.ts'

/** `lockstep apply`. */
export const applyCommand: Command = {
  name: 'apply',
  summary: 'Apply Lockstep resources (server-side)',
  detail:
    'All documents are checked first. If one is invalid, no document is applied. Accepts Modules, BootstrapModules, and the ConfigMaps, Secrets and Namespaces that they need. With --dry-run=server, lists objects that change hands, too.',
  options: [
    filenameOption,
    {
      flags: '--dry-run <where>',
      text: 'check only; client: fields and values, without a hub',
      choices: ['none', 'client', 'server'],
      default: 'none',
    },
    { flags: '--force-conflicts', text: 'take fields from other field managers' },
  ],
  examples: [
    ['Apply a release of the example platform', 'apply -n platform -f examples/platform/v1'],
    ['Check against the hub, without a change', 'apply -f module.yaml --dry-run=server'],
    ['Check without a hub, for example before a commit', 'apply -f module.yaml --dry-run=client'],
    ['Read from standard input', 'apply -f - < module.yaml'],
  ],
  async run(c, _args, flags) {
    const paths = listFlag(flags, 'filename')
    if (paths.length === 0)
      return failed('E_USAGE', {
        problem: 'nothing to apply',
        suggestion: 'give files with -f, for example: lockstep apply -f module.yaml',
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
    const plan = await checkDocuments(c, hub.value, parsed, { force })
    if (!plan.ok) return plan
    if (mode !== 'server') return write(c, hub.value, plan.value, force)
    const announced = announce(c, plan.value)
    if (isForPeople(c)) await printHandovers(c, hub.value, fileModulesOf(plan.value, parsed))
    return announced
  },
}

async function checkHere(
  c: CommandContext,
  parsed: ParsedSources,
  paths: readonly string[],
): Promise<CommandResult> {
  if (parsed.total === 0) return failed('E_NO_INPUT', { path: paths.join(', ') })
  const plan = await checkAlone(c, parsed)
  if (!plan.ok) return plan
  if (printObjects(c, plan.value.map(wouldBe))) return { ok: true, value: 0 }
  for (const p of plan.value) say(c, p, 'checked (client dry run)')
  return { ok: true, value: 0 }
}

/** As the server would have it, where it was asked. */
const wouldBe = (p: CheckedDocument): PrintedObject => ({
  kind: p.document.kind,
  object: p.dry ?? p.document.object,
})

const say = (c: CommandContext, p: CheckedDocument, what: string): void =>
  c.terminal.print(fit(c.terminal.look, `${nameOf(p.document.kind, keyOf(p.document.object).name)} ${what}`))

function announce(c: CommandContext, plan: readonly CheckedDocument[]): CommandResult {
  if (printObjects(c, plan.map(wouldBe))) return { ok: true, value: 0 }
  for (const p of plan) {
    const what = !p.before ? 'created' : sameContent(p.before, p.dry) ? 'unchanged' : 'configured'
    say(c, p, `${what} (server dry run)`)
  }
  return { ok: true, value: 0 }
}

const isForPeople = ({ globals: { output } }: CommandContext): boolean =>
  output === 'table' || output === 'wide'

function sameContent(a: Stored, b: Stored | undefined): boolean {
  const strip = (o: Stored): unknown => {
    const { managedFields: _m, resourceVersion: _r, generation: _g, ...metadata } = o.metadata
    return { ...o, metadata }
  }
  return b !== undefined && jsonEqual(strip(a), strip(b))
}

/** Namespaces first, everything else as written. People see each line when it is done, programs all of it at the end. */
async function write(
  c: CommandContext,
  hub: HubConnection,
  plan: readonly CheckedDocument[],
  force: boolean,
): Promise<CommandResult> {
  const isSpace = (p: CheckedDocument): boolean => p.document.kind.kind === 'Namespace'
  const ordered = [...plan.filter(isSpace), ...plan.filter((p) => !isSpace(p))]
  const forPeople = isForPeople(c)
  const written: PrintedObject[] = []
  for (const p of ordered) {
    const { kind, object } = p.document
    const done = await hub.client.apply(kind, object, {
      purpose: 'user',
      manager: CLI_MANAGER,
      signal: c.signal,
      precondition: 'any',
      validate: 'Strict',
      force,
    })
    if (!done.ok) {
      const failure = requestFailure(done.error, hub.server).error
      const aftermath = `${written.length} of ${ordered.length} documents were applied before this error`
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
