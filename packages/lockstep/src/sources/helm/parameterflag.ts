/** `render.helm.parameters` as Helm takes them. */
import type { HelmRender } from '../../api/kinds/index.ts'

type HelmParameter = NonNullable<HelmRender['parameters']>[number]

/** Of one parameter. In what is not a list of Helm's own a comma is a comma, as with Argo CD (`util/helm`, `cleanSetParameters`). */
export function parameterFlag({ name, value, forceString }: HelmParameter): string {
  const isList = value.startsWith('{') && value.endsWith('}')
  const escaped = isList ? value : value.replace(/(?<!\\),/g, '\\,')
  return `${forceString ? '--set-string' : '--set'}=${name}=${escaped}`
}
