import { encodeYaml, type JsonObject, parseApiVersion } from '@lockstep/kube/object'
import { type CommandContext, nameOf } from '../index.ts'
import { listOf, printData } from '../output/index.ts'
import type { ModuleRights } from './modulerights.ts'

/** Manifests for kubectl, and warnings about rights that are not known. */
export function printGrants(
  c: CommandContext,
  modules: readonly ModuleRights[],
  objects: readonly JsonObject[],
): void {
  const t = c.terminal
  for (const { module, unknown } of modules)
    for (const u of unknown)
      t.talk(
        `${t.paint('yellow', 'warning:')} ${module.kind} ${module.metadata.name}: rights are unknown: ${u}`,
      )
  const none = '# No rights are needed.\n'
  if (c.globals.output === 'yaml') t.data(objects.map((o) => encodeYaml(o)).join('---\n') || none)
  else printData(c, listOf(objects as never), objects.map(wordOf))
}

const wordOf = ({ apiVersion, kind, metadata }: JsonObject): string =>
  nameOf(
    { ...parseApiVersion(String(apiVersion)), kind: String(kind) },
    String((metadata as JsonObject).name),
  )
