/** What an Application hands to Helm: values files, and parameters above them. */
import { isObject, type JsonObject, type JsonValue } from '@lockstep/kube/object'
import type { ValuesField } from '../values/field.ts'
import { goQuote } from '../values/gotext.ts'
import type { Group } from '../values/group.ts'
import { shownValue } from '../values/notes.ts'
import { evaluateTemplate } from '../values/template.ts'

type HelmForm = 'single' | 'multi'

export function helmParameters(g: Group, app: ValuesField, form: HelmForm): JsonObject {
  const files = app.get('fileParameters')
  return {
    ignoreMissingValueFiles: true,
    values: nestedValues(g, form),
    valueFiles: valueFiles(g, app, form),
    parameters: [...facts(g), ...extraFields(g, app), ...nested(g), ...overrides(g, app)],
    ...(files.isTruthy
      ? {
          fileParameters: files
            .items()
            .map((f) => ({ name: f.get('name').raw(), path: f.get('path').raw() })),
        }
      : {}),
  }
}

const REF = '$patternref'

/** Those of the pattern from the general to the particular; then those that the values name, which may have templates. */
function valueFiles(g: Group, app: ValuesField, form: HelmForm): string[] {
  const { global, own } = g
  const [platform, version, local] = ['clusterPlatform', 'clusterVersion', 'localClusterName'].map((k) =>
    global.get(k),
  ) as [ValuesField, ValuesField, ValuesField]
  const name = own.get('name').text
  const files = ['global', name]
  if (platform.isTruthy) {
    files.push(platform.text)
    if (version.isTruthy) files.push(`${platform.text}-${version.text}`)
    files.push(`${platform.text}-${name}`)
  }
  if (version.isTruthy) files.push(`${version.text}-${name}`)
  if (local.isTruthy) files.push(local.text)
  const prefix = form === 'multi' ? REF : ''
  const others = [...own.get('sharedValueFiles').items(), ...app.get('extraValueFiles').items()]
  return [
    ...files.map((file) => `${prefix}/values-${file}.yaml`),
    ...global
      .get('extraValueFiles')
      .items()
      .map(({ text }) => (form === 'multi' ? `${REF}/${text}` : text)),
    ...others
      .map((file) => evaluateTemplate(g, file).text)
      .map((file) => (file.startsWith(`${REF}/`) ? file : `${prefix}${file}`)),
  ]
}

/** What is known of cluster and pattern, for every chart. */
function facts({ global }: Group): JsonObject[] {
  const raw = (name: string): JsonValue => global.get(name).raw()
  const of = (name: string, value: JsonValue): JsonObject => ({ name: `global.${name}`, value })
  return [
    of('repoURL', raw('repoURL')),
    of('originURL', raw('originURL')),
    of('targetRevision', raw('targetRevision')),
    of('namespace', '$ARGOCD_APP_NAMESPACE'),
    of('pattern', raw('pattern')),
    of('clusterDomain', raw('clusterDomain')),
    of('localClusterName', raw('localClusterName')),
    of('clusterVersion', global.get('clusterVersion').orEmpty()),
    of('clusterPlatform', global.get('clusterPlatform').orEmpty()),
    of('hubClusterDomain', raw('hubClusterDomain')),
    of('multiSourceSupport', global.get('multiSourceSupport').quoted()),
    of('multiSourceRepoUrl', raw('multiSourceRepoUrl')),
    of('multiSourceTargetRevision', raw('multiSourceTargetRevision')),
    of('localClusterDomain', global.get('localClusterDomain').or(global.get('hubClusterDomain')).raw()),
    of('privateRepo', global.get('privateRepo').quoted()),
    of('experimentalCapabilities', raw('experimentalCapabilities')),
    of('deletePattern', raw('deletePattern')),
    of('gitOpsSubNamespace', raw('gitOpsSubNamespace')),
    of('vpArgoNamespace', raw('vpArgoNamespace')),
  ]
}

/** Facts once more, under names that the application asks for. */
function extraFields({ global }: Group, app: ValuesField): JsonObject[] {
  const fields: readonly (readonly [key: string, value: JsonValue])[] = [
    ['extraHubClusterDomainFields', global.get('hubClusterDomain').raw()],
    ['extraLocalClusterDomainFields', global.get('localClusterDomain').raw()],
    ['extraRepoURLFields', '$ARGOCD_APP_SOURCE_REPO_URL'],
    ['extraTargetRevisionFields', '$ARGOCD_APP_SOURCE_TARGET_REVISION'],
    ['extraNamespaceFields', '$ARGOCD_APP_NAMESPACE'],
    ['extraPatternNameFields', global.get('pattern').raw()],
  ]
  return fields.flatMap(([key, value]) =>
    app
      .get(key)
      .items()
      .map((field) => ({ name: field.raw(), value })),
  )
}

/** `extraParametersNested`, by key. */
const nestedOf = (g: Group) => g.values.get('extraParametersNested').members() ?? []

const nested = (g: Group): JsonObject[] =>
  nestedOf(g).map(({ key, field }) => ({ name: field.as(key).raw(), value: field.percentS() }))

/** The same as a text of YAML, as the chart writes it: `{{ $k }}: {{ printf "%s" $v | quote }}`. */
function nestedValues(g: Group, form: HelmForm): string {
  const indent = form === 'multi' ? '  ' : '    '
  const lines = nestedOf(g).map(({ key, field }) => `${indent}${key}: ${goQuote(field.percentS())}\n`)
  return `extraParametersNested:\n${lines.join('')}`
}

function overrides(g: Group, app: ValuesField): JsonObject[] {
  return app
    .get('overrides')
    .items()
    .flatMap((override) => {
      const value = override.get('value')
      if (!isObject(override.value) || value.value === null || value.value === undefined) {
        override.refuse(`: ${shownValue(override.value)} has no value`, { todo: 'give it name and value' })
        return []
      }
      const force = override.get('forceString').isTruthy ? { forceString: true } : {}
      return [
        {
          name: override.get('name').raw(),
          value: evaluateTemplate(g, value.as(value.quoted()!)).text,
          ...force,
        },
      ]
    })
}
